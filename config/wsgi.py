"""The WSGI entry point for gunicorn."""

from __future__ import annotations

import os

from django.core.wsgi import get_wsgi_application

from config import watching
from config.celery import app

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

watching.begin("web")
application = get_wsgi_application()

#: Whoever waits for a page waits less for the queue than a worker does; the sweep makes up for what was not sent.
PATIENCE_S = 1.0
app.conf.broker_transport_options = {
    **app.conf.broker_transport_options,
    "socket_timeout": PATIENCE_S,
    "socket_connect_timeout": PATIENCE_S,
}
