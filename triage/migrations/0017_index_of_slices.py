import django.contrib.postgres.indexes
from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations


class Migration(migrations.Migration):
    # The index is built beside the work.
    atomic = False

    dependencies = [
        ("triage", "0016_lean_indexes"),
    ]

    operations = [
        AddIndexConcurrently(
            model_name="query",
            index=django.contrib.postgres.indexes.GinIndex(
                fields=["slices"], name="slices_of_queries", opclasses=["jsonb_path_ops"]
            ),
        ),
    ]
