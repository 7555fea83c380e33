"""Verb: is a run's recall to be trusted?"""

from __future__ import annotations

from labeling.audit.check import Audited, as_json, as_text, audit, render
from labeling.audit.page import audit_page

__all__ = ["Audited", "as_json", "as_text", "audit", "audit_page", "render"]
