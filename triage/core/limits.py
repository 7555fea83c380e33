"""How much one file may ask of us: numbers that protect the machine and never move a label."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Upper bounds for one import; shown before an upload, set in the settings, tested at the edge."""

    #: Bytes of the file as it was sent, and again of what comes out of its compression.
    file_bytes: int = 2 * 1024**3
    #: Bytes of one line (one record).
    line_bytes: int = 16 * 1024**2
    #: Chunks retrieved for one query.
    chunks: int = 1_000
    #: Claims of one answer.
    claims: int = 1_000
    #: Levels of JSON nesting in one line; the line's own object is level 1.
    nesting: int = 64
    #: Keys of all objects of one line together.
    keys: int = 200_000
    #: Digits of one whole number; every finite double fits.
    digits: int = 310
    #: Characters of one id.
    id_chars: int = 500
    #: Decompressed bytes for one compressed byte, looked at once `ratio_after` bytes came out.
    ratio: int = 100
    ratio_after: int = 1024**2
    #: A file with more faulty lines than both of these is refused whole.
    faulty_share: float = 0.05
    faulty_lines: int = 20
    #: Row errors kept with an import; the rest is counted.
    errors_kept: int = 1_000


DEFAULT_LIMITS = Limits()
