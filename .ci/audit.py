"""Ask the vulnerability service about every locked package, and never call silence a clean bill.

pip-audit leaves out what the service does not know and still ends well; here that counts as not checked.
Exit codes: 0 every package was checked and nothing is known, 1 something is known, 2 not all could be checked.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COMMAND = ["-m", "pip_audit", "--no-deps", "--disable-pip", "--require-hashes", "--format", "json"]
UNSEEN = "COULD NOT CHECK: "


def verdict(output: str, error: str) -> tuple[int, str]:
    """Return exit code and text for what pip-audit wrote to its two outputs."""
    try:
        packages = json.loads(output)["dependencies"]
    except (ValueError, KeyError):
        last = error.strip().splitlines()[-1:] or ["it said nothing"]
        return 2, f"{UNSEEN}the vulnerability service was not reached. Nothing was checked. {last[0][:300]}"
    skipped = [package["name"] for package in packages if "skip_reason" in package]
    known = [
        f"{package['name']} {package['version']}: {flaw['id']}, fixed in {flaw['fix_versions'] or 'no version'}"
        for package in packages
        for flaw in package.get("vulns", ())
    ]
    lines = list(known)
    if skipped or not packages:
        lines.append(f"{UNSEEN}{len(skipped)} of {len(packages)} packages: {', '.join(skipped[:5])} ...")
    lines.append(f"{len(packages) - len(skipped)} packages checked, {len(known)} known flaws.")
    return 1 if known else 2 if skipped or not packages else 0, "\n".join(lines)


def main(lock: str) -> int:
    """Audit one lock file."""
    command = [sys.executable, *COMMAND, "--progress-spinner", "off", "-r", lock]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    code, said = verdict(done.stdout, done.stderr)
    sys.stdout.write(said + "\n")
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
