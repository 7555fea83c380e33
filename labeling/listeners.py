"""What the human's half does when the machine's half announces something."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.dispatch import receiver

from labeling.receive import receive, receive_draws
from triage.signals import run_classified, run_ingested


@receiver(run_ingested)
def on_ingested(sender: object, run_id: int, **_more: Any) -> None:
    """Take in the verdicts that came with the file, in the import's own transaction."""
    receive(run_id)


@receiver(run_classified)
def on_classified(sender: object, run_id: int, **_more: Any) -> None:
    """Fix the draws that came with the file, now that there are automatic classes."""
    with transaction.atomic():
        receive_draws(run_id)
