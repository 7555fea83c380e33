"""How far people agree on a run: figures as computed by a worker; pages only read them."""

from __future__ import annotations

from django.db import models

from triage.models import Run


class AgreementReport(models.Model):
    """The newest comparison of the people who read a run, with each other and with the machine."""

    run = models.OneToOneField(Run, on_delete=models.CASCADE, related_name="agreement_report", primary_key=True)
    #: Fingerprint of the verdicts it rests on; another one makes it stale.
    basis = models.CharField(max_length=16)
    #: All figures as printed: each {"value", "low", "high", "n"} or a named state.
    figures = models.JSONField(default=dict)
    computed_at = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return f"agreement on run {self.run_id}"
