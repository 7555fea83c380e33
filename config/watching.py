"""Begin what watches a process, where the operator switched it on; without it nothing of it is loaded."""

from __future__ import annotations

from django.conf import settings


def begin(part: str) -> None:
    """Begin telling Sentry and the collector about this part: web, worker or beat."""
    if settings.SENTRY_DSN:
        from config import sentry
        from config.version import version_of_product

        sentry.begin(settings.SENTRY_DSN, settings.SENTRY_ENVIRONMENT, version_of_product())
    if settings.TRACES_ENDPOINT:
        from config import tracing

        tracing.begin(part, settings.TRACES_ENDPOINT, settings.TRACES_PERCENT)
