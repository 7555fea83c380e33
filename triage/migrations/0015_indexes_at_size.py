import django.contrib.postgres.indexes
import django.db.models.deletion
from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models

import triage.models.search


class Migration(migrations.Migration):
    # Indexes are built beside the work; the two they replace go once they are there.
    atomic = False

    dependencies = [
        ("triage", "0014_webhooks"),
    ]

    operations = [
        AddIndexConcurrently(
            model_name="query",
            index=models.Index(fields=["run", "id"], include=("correct",), name="queries_by_id"),
        ),
        AddIndexConcurrently(
            model_name="query",
            index=models.Index(
                condition=models.Q(("flags", []), _negated=True), fields=["run"], name="flagged_queries"
            ),
        ),
        AddIndexConcurrently(
            model_name="query",
            index=django.contrib.postgres.indexes.GinIndex(triage.models.search.Words(), name="words_of_queries"),
        ),
        AddIndexConcurrently(
            model_name="score",
            index=models.Index(fields=["judge", "query"], name="scores_by_judge"),
        ),
        migrations.AlterField(
            model_name="query",
            name="run",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="queries",
                to="triage.run",
            ),
        ),
        migrations.AlterField(
            model_name="score",
            name="judge",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="scores",
                to="triage.judge",
            ),
        ),
    ]
