"""Verb: compare the people who read a run with each other, and with the machine."""

from __future__ import annotations

from labeling.agree.page import AgreementPage, agreement_items, agreement_page
from labeling.agree.run import agree, basis_now

__all__ = ["AgreementPage", "agree", "agreement_items", "agreement_page", "basis_now"]
