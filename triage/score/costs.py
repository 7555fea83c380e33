"""What the paid judges of a run have cost, from the words they gave."""

from __future__ import annotations

from django.conf import settings
from django.db import connection

from triage.core.spending import Prices, Spending
from triage.judges.setups import LlmSetup, SetupError, read_setups
from triage.models import Run

#: A judge with a prompt is asked by calls; what each cost stands at the end of its words, after all text of others.
SPENT = r"""
SELECT judge.name, judge.task, count(*), sum(coalesce(told[3], '1')::bigint),
    sum(told[1]::bigint)::bigint, sum(told[2]::bigint)::bigint
FROM triage_score AS score
JOIN triage_judge AS judge ON judge.id = score.judge_id AND judge.prompt_hash <> ''
JOIN triage_query AS query ON query.id = score.query_id AND query.run_id = %s
CROSS JOIN LATERAL regexp_match(
    right(score.raw, 120), '"input_tokens": (\d{1,12}), "output_tokens": (\d{1,12})(?:, "calls": (\d{1,4}))?\}$'
) AS told
WHERE told IS NOT NULL
GROUP BY 1, 2 ORDER BY 1, 2
"""
#: A model that cut answers into claims left its cost with the first of them.
CUT = """
SELECT split_part(claim.meta -> 'cut' ->> 'by', ' ', 1), 'claims', count(*),
    sum((claim.meta -> 'cut' ->> 'calls')::bigint), sum((claim.meta -> 'cut' ->> 'input_tokens')::bigint),
    sum((claim.meta -> 'cut' ->> 'output_tokens')::bigint)
FROM triage_claim AS claim
JOIN triage_query AS query ON query.id = claim.query_id AND query.run_id = %s
WHERE claim.position = 1 AND claim.source = 'split' AND claim.meta ? 'cut'
GROUP BY 1 ORDER BY 1
"""


def spending_of(run: Run) -> list[Spending]:
    """Return what each paid judge was asked in the run, by name and task; two statements at most."""
    prices = _prices()
    with connection.cursor() as cursor:
        cursor.execute(SPENT, [run.pk])
        rows = cursor.fetchall()
        if rows:  # no model cuts claims that it is not asked about
            cursor.execute(CUT, [run.pk])
            rows += cursor.fetchall()
    return [
        Spending(name, task, words, int(calls), int(tokens_in), int(tokens_out), prices.get(name))
        for name, task, words, calls, tokens_in, tokens_out in sorted(rows)
    ]


def _prices() -> dict[str, Prices]:
    """Return the prices that are set now, by judge. A file of the operator's that cannot be read sets none."""
    try:
        setups = read_setups(settings.JUDGES)
    except SetupError:
        return {}
    return {name: setup.prices for name, setup in setups.items() if isinstance(setup, LlmSetup) and setup.prices}
