"""Models and migrations agree, and a migration never breaks the release that is still running (docs/deploy.md)."""

from __future__ import annotations

import pytest
from django.apps import apps
from django.contrib.postgres.operations import AddConstraintNotValid, AddIndexConcurrently
from django.core.management import call_command
from django.db import migrations, models
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations.base import Operation
from django.db.models.functions import Now

from tests.house.releases import SMALL, objections

OURS = ("triage", "labeling")
UNRELEASED = "part of the first release: no release runs while it is applied"
#: Migration -> why the rules do not hold for it. From the first release on, a new line needs a better reason.
EXEMPT = dict.fromkeys(
    (
        "labeling.0002_review_screen",
        "labeling.0006_imported_challenges",
        "labeling.0010_note_snapshots",
        "triage.0002_scoring_leases",
        "triage.0003_classify_attempts",
        "triage.0004_meta_of_slots_and_claims",
        "triage.0007_correct_by",
        "triage.0008_table_columns",
        "triage.0011_changes",
        "triage.0018_pairs_by_index",
    ),
    UNRELEASED,
)


@pytest.mark.django_db
def test_no_migration_is_pending() -> None:
    call_command("makemigrations", "--check", "--dry-run", verbosity=0)


def test_every_migration_can_be_applied_under_the_running_release_or_says_why_not() -> None:
    loader = MigrationLoader(None)
    found = {}
    for (app, name), migration in sorted(loader.disk_migrations.items()):
        if app in OURS:
            state = loader.project_state([parent for parent in migration.dependencies if parent[1] != "__first__"])
            if said := objections(migration, state):
                found[f"{app}.{name}"] = said
    assert {name: said for name, said in found.items() if name not in EXEMPT} == {}
    assert not EXEMPT.keys() - found.keys(), "nothing to exempt there"


def test_the_tables_called_small_exist() -> None:
    assert {model._meta.model_name for app in OURS for model in apps.get_app_config(app).get_models()} >= SMALL


def wrong(*operations: Operation, atomic: bool = True) -> list[str]:
    """Return the objections to these operations on today's models."""
    migration = migrations.Migration("9999_wrong", "triage")
    migration.operations, migration.atomic = list(operations), atomic
    return objections(migration, MigrationLoader(None).project_state())


INDEX = models.Index(fields=["position"], name="ix")
CHECK = models.CheckConstraint(condition=models.Q(position__gt=0), name="ck")
CREATE = migrations.CreateModel("Fresh", [("id", models.BigAutoField(primary_key=True))])


@pytest.mark.parametrize(
    ("operation", "remedy"),
    [
        (migrations.AddField("run", "x", models.IntegerField(default=0)), "db_default"),
        (migrations.AddField("query", "x", models.IntegerField(null=True, db_index=True)), "AddIndexConcurrently"),
        (
            migrations.AddField("query", "x", models.ForeignKey("triage.Run", models.CASCADE, null=True)),
            "db_index=False",
        ),
        (migrations.RemoveField("run", "name"), "in the next"),
        (migrations.RenameField("run", "name", "title"), "in the next"),
        (migrations.DeleteModel("JudgeTrial"), "in the next"),
        (migrations.AlterField("query", "answer", models.TextField()), "forbid NULL in the next"),
        (migrations.AlterField("query", "latency_ms", models.TextField(null=True)), "add a column, copy"),
        (migrations.AddIndex("query", INDEX), "AddIndexConcurrently"),
        (AddIndexConcurrently("query", INDEX), "atomic = False"),
        (migrations.AddConstraint("query", CHECK), "ValidateConstraint"),
        (migrations.RunSQL("SELECT 1", migrations.RunSQL.noop), "EXEMPT"),
        (migrations.SeparateDatabaseAndState([migrations.RemoveField("run", "name")], []), "in the next"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Operation) else "",
)
def test_what_would_break_the_running_release_is_named_with_its_remedy(operation: Operation, remedy: str) -> None:
    (said,) = wrong(operation)
    assert remedy in said


@pytest.mark.parametrize(
    "operations",
    [
        [migrations.AddField("run", "x", models.IntegerField(null=True))],
        [migrations.AddField("run", "x", models.DateTimeField(db_default=Now()))],
        [migrations.AddIndex("run", models.Index(fields=["name"], name="ix"))],
        [AddConstraintNotValid("query", CHECK)],
        [migrations.SeparateDatabaseAndState([], [migrations.RemoveField("run", "name")])],
        [CREATE, migrations.AddField("fresh", "x", models.IntegerField(default=0))],
    ],
    ids=["nullable", "database_default", "small_table", "not_valid", "only_the_state", "new_table"],
)
def test_what_the_running_release_does_not_mind_passes(operations: list[Operation]) -> None:
    assert wrong(*operations) == []


def test_an_index_by_the_way_outside_of_a_transaction_passes() -> None:
    assert wrong(AddIndexConcurrently("query", INDEX), atomic=False) == []
