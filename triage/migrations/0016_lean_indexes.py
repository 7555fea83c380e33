import django.contrib.postgres.indexes
import django.db.models.deletion
from django.contrib.postgres.operations import AddIndexConcurrently, RemoveIndexConcurrently
from django.db import migrations, models

import triage.models.search


def without_index(model: str, field: str, to: str, related_name: str) -> migrations.AlterField:
    """Drop the single index of a foreign key: a unique or composite one begins with the same column."""
    kept = models.ForeignKey(
        db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name=related_name, to=to
    )
    return migrations.AlterField(model_name=model, name=field, field=kept)


class Migration(migrations.Migration):
    # The index of words is built beside the work; the old one goes once the new one is there.
    atomic = False

    dependencies = [
        ("triage", "0015_indexes_at_size"),
    ]

    operations = [
        AddIndexConcurrently(
            model_name="query",
            index=django.contrib.postgres.indexes.GinIndex(triage.models.search.Words(), name="words_without_signs"),
        ),
        RemoveIndexConcurrently(model_name="query", name="words_of_queries"),
        without_index("chunk", "project", "triage.project", "chunks"),
        without_index("claim", "query", "triage.query", "claims"),
        without_index("retrieved", "query", "triage.query", "retrieved"),
        without_index("runchunk", "run", "triage.run", "run_chunks"),
        without_index("scoring", "query", "triage.query", "scorings"),
        without_index("suggestion", "query", "triage.query", "suggestions"),
    ]
