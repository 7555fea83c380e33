from django.db import migrations, models

PAIRED = ("id", "correct", "question_hash")
INDEX = """
CREATE UNIQUE INDEX CONCURRENTLY "one_query_of_a_key" ON "triage_query" ("run_id", "key_hash")
INCLUDE ("id", "correct", "question_hash")
"""
GONE = 'DROP INDEX CONCURRENTLY "one_query_of_a_key"'


class Migration(migrations.Migration):
    # The column is written into every row there is, which pages wait for; the index is built beside the work.
    atomic = False

    dependencies = [
        ("triage", "0017_index_of_slices"),
    ]

    operations = [
        migrations.AddField(
            model_name="query",
            name="question_hash",
            field=models.GeneratedField(
                db_persist=True,
                expression=models.Func(models.F("question"), models.Value(0), function="hashtextextended"),
                output_field=models.BigIntegerField(),
            ),
        ),
        migrations.SeparateDatabaseAndState(
            database_operations=[migrations.RunSQL(INDEX, GONE)],
            state_operations=[
                migrations.AddConstraint(
                    model_name="query",
                    constraint=models.UniqueConstraint(
                        fields=("run", "key_hash"), include=PAIRED, name="one_query_of_a_key"
                    ),
                ),
            ],
        ),
        migrations.RemoveConstraint(model_name="query", name="one_query_per_key"),
    ]
