"""Measure lists, runs, comparison, classification and export at size: two runs of 100,000 queries, scored and filed.

Run from the root of the repository: `python -m benchmarks.large [QUERIES ...]`. Default: 1,000, 10,000 and 100,000.
Every figure is of processor time, this process and its database session together, because others may be busy on the
machine; the server is told not to spread a statement over several processes, which would hide from it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.pages import owner, timed

if TYPE_CHECKING:
    from triage.models import Run

TIMES = 20


def addresses(run: Run, before: Run) -> dict[str, str]:
    """Return page -> address."""
    queries = f"/runs/{run.key}/queries/"
    return {
        "list": queries,
        "list, late": f"{queries}?after={run.counts['queries'] - 100}",
        "list, backwards from late": f"{queries}?before={run.counts['queries'] - 100}",
        "failing": f"{queries}?outcome=failing",
        "a class": f"{queries}?label=still_wrong",
        "near a threshold (none)": f"{queries}?near=1",
        "a flag (none)": f"{queries}?flag=duplicate_chunk",
        "a slice": f"{queries}?slice_key=topic&slice_value=billing",
        "a common word": f"{queries}?text=sentence",
        "a rare word": f"{queries}?text=word7",
        "a rare word, failing": f"{queries}?text=word7&outcome=failing",
        "no such word": f"{queries}?text=nowhere",
        "an id": f"{queries}?text=q{run.counts['queries'] - 7}",
        "run": f"/runs/{run.key}/",
        "report": f"/runs/{run.key}/report/",
        "compare": f"/p/{run.project.slug}/compare/?run={before.key}&run={run.key}",
        "due": f"/p/{run.project.slug}/due/",
        "judges": f"/p/{run.project.slug}/judges/",
    }


def pages(run: Run, before: Run, times: int = TIMES) -> None:
    """Print one row a page."""
    client = owner(run.project)
    size = f"{run.counts['queries']:,}"
    for name, address in addresses(run, before).items():
        one = timed(client, name, address, times)
        cells = (one.statements, f"{one.cpu_p95:.0f}", f"{one.cpu:.0f}", f"{one.median:.0f}")
        print(f"| {name} | {size} | {' | '.join(map(str, cells))} |", flush=True)


if __name__ == "__main__":
    pass
