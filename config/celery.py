"""The Celery application: JSON only, no result backend, tasks take ids."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from celery import Celery
from celery.signals import beat_init, celeryd_init, setup_logging, task_postrun, task_prerun
from kombu.exceptions import OperationalError

from config.stopping import StopInTime
from triage.core.acting import Actor, Before, Via, begin, end

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")


class OnDemandCelery(Celery):  # type: ignore[misc]
    """Starts the embedded Redis when, and only when, a connection is wanted and no REDIS_URL was given."""

    def _connection(self, url: str, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - Celery's own signature
        """Return a connection, as Celery does, to a server that is there."""
        from django.conf import settings

        if not settings.REDIS_URL:
            _have_embedded_redis(settings.VAR_DIR)
        return super()._connection(url, *args, **kwargs)


def _have_embedded_redis(var: Path) -> None:
    from config.embedded import valkey
    from config.embedded.places import EmbeddedError

    try:
        valkey.ensure(var)
    except EmbeddedError as error:
        raise OperationalError(str(error)) from error  # what callers expect of a queue that is down


app = OnDemandCelery("rag_triage")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["triage", "labeling"])
app.steps["worker"].add(StopInTime)


@setup_logging.connect  # type: ignore[untyped-decorator]
def _log_as_django_does(**_: object) -> None:
    """Keep Celery from setting up logging of its own: answering the signal is enough, Django's LOGGING stands."""


@celeryd_init.connect  # type: ignore[untyped-decorator]
def _watch_worker(**_: object) -> None:
    """Tell the operator's Sentry and collector about this worker, where there are any."""
    _watch("worker")


@beat_init.connect  # type: ignore[untyped-decorator]
def _watch_beat(**_: object) -> None:
    """Tell them about beat."""
    _watch("beat")


def _watch(part: str) -> None:
    from config import watching

    watching.begin(part)


#: By task id: who acted when the task began.
_before: dict[str, Before] = {}


@task_prerun.connect  # type: ignore[untyped-decorator]
def _act_as_worker(task_id: str, task: Any, **_: object) -> None:  # noqa: ANN401 - Celery's own signature
    """Say in the journal that a worker changed something, and in which task."""
    _before[task_id] = begin(lambda: Actor(Via.WORKER, task.name))


@task_postrun.connect  # type: ignore[untyped-decorator]
def _act_as_before(task_id: str, **_: object) -> None:
    """Give the journal back to who acted before: a command may run a task itself and go on with its own work."""
    if before := _before.pop(task_id, None):
        end(before)
