"""Who decided whether an answer is correct."""

from django.db import migrations, models

#: What was known before: the file's own word, else the rule for what cannot be answered.
FILL = """
UPDATE triage_query
SET correct_by = CASE WHEN correct_in_file IS NOT NULL THEN 'file' ELSE 'abstention' END
WHERE correct IS NOT NULL
"""


class Migration(migrations.Migration):
    dependencies = [("triage", "0006_api_tokens")]

    operations = [
        migrations.AddField(
            model_name="query",
            name="correct_by",
            field=models.CharField(
                blank=True,
                choices=[("file", "FILE"), ("abstention", "ABSTENTION"), ("match", "MATCH"), ("", "NOBODY")],
                default="",
                max_length=10,
            ),
        ),
        migrations.RunSQL(FILL, migrations.RunSQL.noop),
    ]
