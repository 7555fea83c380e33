#!/usr/bin/env python
"""Run any command of the product; with no DATABASE_URL the embedded PostgreSQL is brought up on demand."""

from __future__ import annotations

import os
import sys

from django.core.management import execute_from_command_line

from config.embedded.schema import migrate_on_first_use
from triage.core.acting import Actor, Via, begin

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    begin(lambda: Actor(Via.COMMAND, next(iter(sys.argv[1:]), "")))
    migrate_on_first_use(sys.argv)
    execute_from_command_line(sys.argv)
