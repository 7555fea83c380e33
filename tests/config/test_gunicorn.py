"""The web server's own settings, as far as they do something."""

from __future__ import annotations

import gc

from config import gunicorn


def test_what_a_web_process_loaded_is_left_out_of_every_collection() -> None:
    before = gc.get_threshold()
    try:
        gunicorn.post_worker_init(None)
        assert gc.get_freeze_count() > 100_000
        assert gc.get_threshold()[0] == gunicorn.OBJECTS_BETWEEN_COLLECTIONS
        assert gc.isenabled()
    finally:
        gc.unfreeze()
        gc.set_threshold(*before)
