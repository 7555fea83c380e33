"""What the machine's half announces. The human's half listens; the machine never knows who does."""

from __future__ import annotations

from django.dispatch import Signal

from triage.core.review import first_answer
from triage.core.trust import Trust

#: A run's rows are complete (sent inside the import's transaction). Arguments: sender=Run, run_id=int.
run_ingested = Signal()
#: A run's suggestions were rebuilt (sent after the commit). Arguments: sender=Run, run_id=int.
run_classified = Signal()
#: A run ended, done or failed (sent inside the transaction that says so). Arguments: sender=Run, run_id=int.
run_finished = Signal()
#: A page wants to know what people found in a run; answered by a `core.review.ReviewState`. Arguments: run_id=int.
review_wanted = Signal()
#: A page wants a query's verdicts, answered by a list of `core.review.VerdictLine`, newest first,
#: or by None where this person must not see them yet. Arguments: query_id=int, user_id=int.
history_wanted = Signal()
#: Somebody wants to know whether a judge's word may be relied on in a project; answered by a `core.trust.Trust`.
#: Arguments: project_id=int, fingerprint=str of the judge's identity.
trust_wanted = Signal()


def trust_of(project_id: int, fingerprint: str) -> Trust:
    """Ask whether a judge's word may be relied on in a project; without an answer it is uncalibrated."""
    asked = trust_wanted.send(sender=Trust, project_id=project_id, fingerprint=fingerprint)
    return first_answer(asked, Trust) or Trust.UNCALIBRATED
