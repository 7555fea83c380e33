import django.db.models.deletion
from django.conf import settings
from django.contrib.postgres.operations import AddIndexConcurrently, RemoveIndexConcurrently
from django.db import migrations, models


def without_index(model: str, field: str, to: str, related_name: str, **more: object) -> migrations.AlterField:
    """Drop the single index of a foreign key: a unique or composite one begins with the same column."""
    kept = models.ForeignKey(
        **{
            "db_index": False,
            "on_delete": django.db.models.deletion.CASCADE,
            "related_name": related_name,
            "to": to,
            **more,
        }
    )
    return migrations.AlterField(model_name=model, name=field, field=kept)


OF_A_PERSON = {"null": True, "on_delete": django.db.models.deletion.SET_NULL}


class Migration(migrations.Migration):
    # The index of own seats is built beside the work; the old one goes once the new one is there.
    atomic = False

    dependencies = [
        ("labeling", "0011_due_to_projects"),
    ]

    operations = [
        AddIndexConcurrently(
            model_name="lease",
            index=models.Index(fields=["reviewer", "session", "state", "position"], name="own_seats_in_order"),
        ),
        RemoveIndexConcurrently(model_name="lease", name="seats_of_a_reviewer"),
        without_index("lease", "item", "labeling.sessionitem", "leases"),
        without_index("lease", "reviewer", settings.AUTH_USER_MODEL, "leases", **OF_A_PERSON),
        without_index("sessionitem", "session", "labeling.reviewsession", "items"),
        without_index("verdict", "reviewer", settings.AUTH_USER_MODEL, "verdicts", **OF_A_PERSON),
    ]
