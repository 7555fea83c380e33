"""Coverage of the corrected class counts at length: `python -m benchmarks.coverage [POPULATIONS] [SEED]`.

The same simulation runs, shorter, in tests/labeling/core/test_correction.py. Prints one line per cell of the
design: how often the 95 % interval held the true count.
"""

from __future__ import annotations

import sys
import time

from tests.labeling.core.coverage import simulate


def main(populations: int = 200_000, seed: int = 1) -> None:
    """Simulate and print; two minutes on two cores at the default size."""
    started = time.perf_counter()
    tally = simulate(populations, seed)
    for cell in sorted(tally.trials):
        print(f"{cell:22} {tally.coverage(cell):.4f}  of {tally.trials[cell]:,} intervals")
    print(f"points outside their interval: {tally.outside}")
    print(f"{populations:,} populations, seed {seed}, {time.perf_counter() - started:.0f} s")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]))
