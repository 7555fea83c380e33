"""Verb: the documents for content owners to mend, with the queries each one hurts."""

from __future__ import annotations

from labeling.mend.listing import faulty_documents
from labeling.mend.marking import mark_mended, unmark
from labeling.mend.page import mend_page
from labeling.mend.telling import MEND_FORMATS, handed_out, mend_file

__all__ = ["MEND_FORMATS", "faulty_documents", "handed_out", "mark_mended", "mend_file", "mend_page", "unmark"]
