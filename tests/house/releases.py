"""May this migration be applied while the release before it is still running? The rules of docs/deploy.md, as code.

It reads the operations of a migration, not its SQL, and says what is wrong and what to write instead.
"""

from __future__ import annotations

from collections.abc import Iterator

from django.contrib.postgres.operations import AddConstraintNotValid, AddIndexConcurrently, RemoveIndexConcurrently
from django.db import migrations, models
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState
from django.db.models.fields import NOT_PROVIDED

#: Tables with few rows: an index is built in them before anybody notices. Every other table counts as big.
SMALL = {
    "agreementreport", "apitoken", "calibration", "codebookversion", "duenotice", "goldrevision", "invitation", "judge",
    "judgetrial", "member", "mendeddocument", "notesnapshot", "policyversion", "preference", "project", "reviewsession",
    "run", "upload", "workerheartbeat",
}  # fmt: skip
GONE = (
    migrations.RemoveField,
    migrations.DeleteModel,
    migrations.RenameField,
    migrations.RenameModel,
    migrations.AlterModelTable,
)


def objections(migration: migrations.Migration, state: ProjectState) -> list[str]:
    """Return what the running release would not survive; `state` is what the models were before."""
    fresh: set[str] = set()
    found = []
    for operation in migration.operations:
        found += _one(operation, migration, state, fresh)
        state = state.clone()
        operation.state_forwards(migration.app_label, state)
    return found


def _one(operation: Operation, migration: migrations.Migration, state: ProjectState, fresh: set[str]) -> Iterator[str]:
    if isinstance(operation, migrations.SeparateDatabaseAndState):
        for inner in operation.database_operations:
            yield from _one(inner, migration, state, fresh)
    elif isinstance(operation, migrations.CreateModel):
        fresh.add(operation.name_lower)
    elif isinstance(operation, migrations.RunSQL | migrations.RunPython):
        yield "SQL or Python of its own: say in EXEMPT why the running release does not mind"
    elif isinstance(operation, GONE):
        yield f"{_says(operation)}: the running release still uses it. Stop that in one release, do this in the next"
    elif getattr(operation, "model_name", "").lower() not in fresh:
        yield from _of_a_table_in_use(operation, migration, state)


def _of_a_table_in_use(operation: Operation, migration: migrations.Migration, state: ProjectState) -> Iterator[str]:
    is_big = getattr(operation, "model_name", "").lower() not in SMALL
    if isinstance(operation, migrations.AddField):
        yield from _column(operation, is_big)
    elif isinstance(operation, migrations.AlterField):
        yield from _altered(operation, migration.app_label, state)
    elif isinstance(operation, migrations.AddIndex | migrations.RemoveIndex) and is_big:
        by_the_way = isinstance(operation, AddIndexConcurrently | RemoveIndexConcurrently)
        if not by_the_way or migration.atomic:
            yield f"{_says(operation)} stops writing: AddIndexConcurrently (or Remove...), and atomic = False"
    elif (
        isinstance(operation, migrations.AddConstraint) and is_big and not isinstance(operation, AddConstraintNotValid)
    ):
        yield f"{_says(operation)} stops writing: AddConstraintNotValid, then ValidateConstraint in the next migration"


def _column(operation: migrations.AddField, is_big: bool) -> Iterator[str]:
    field = operation.field
    if field.many_to_many:
        return
    if not field.null and field.db_default is NOT_PROVIDED and not isinstance(field, models.GeneratedField):
        yield f"{_says(operation)}: the running release adds rows without it. Give it db_default=..., or null=True"
    if is_big and (field.unique or field.db_index):
        yield f"{_says(operation)} builds an index at once: db_index=False, then AddIndexConcurrently"


def _altered(operation: migrations.AlterField, app: str, state: ProjectState) -> Iterator[str]:
    before = state.apps.get_model(app, operation.model_name)._meta.get_field(operation.name)
    field = operation.field
    if isinstance(before, models.Field) and before.null and not field.null:
        yield f"{_says(operation)}: the running release may write NULL there. Fill it now, forbid NULL in the next"
    shorter = (field.max_length or 0) < (getattr(before, "max_length", 0) or 0)
    if before.get_internal_type() != field.get_internal_type() or shorter:
        yield f"{_says(operation)} rewrites the table: add a column, copy, and drop the old one in the next release"


def _says(operation: Operation) -> str:
    return operation.describe()
