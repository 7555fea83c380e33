"""Named oddities of a query, found at import: pages show them, lists filter by them."""

from __future__ import annotations

from enum import StrEnum


class Flag(StrEnum):
    """What is odd about a query. The words are stable: rows and links hold them."""

    #: The answer or a claim addresses its judge: possible injection.
    TALKS_TO_JUDGE = "talks_to_judge"
    #: The judges that ship with the product read English only.
    NOT_ENGLISH = "not_english"
    DUPLICATE_CHUNK = "duplicate_chunk"
    SCORE_OUT_OF_RANGE = "score_out_of_range"
    #: The file said `"claims": []`: there is nothing to check, on purpose.
    NO_CLAIMS_GIVEN = "no_claims_given"
