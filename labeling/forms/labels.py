"""Labels that people gave elsewhere: a file to look at, then the same text to keep."""

from __future__ import annotations

from typing import Any

from django import forms

#: The text goes back and forth with the page once; a larger file is for the command.
MOST_BYTES = 1_000_000


class LabelsForm(forms.Form):
    """A file, or the text of one that was previewed, and whether to keep its labels."""

    file = forms.FileField(
        label="File of labels",
        required=False,
        help_text="CSV with the columns query, claim, label, rater and, if any, chunk; or JSON Lines. At most 1 MB.",
    )
    text = forms.CharField(required=False, strip=False, max_length=MOST_BYTES, widget=forms.HiddenInput)
    keep = forms.BooleanField(required=False, widget=forms.HiddenInput)

    def clean(self) -> dict[str, Any]:
        """Put the file's text into `text`."""
        told = super().clean() or self.cleaned_data
        sent = told.get("file")
        if sent is None and not told.get("text") and not self.errors:
            self.add_error("file", "Choose a file.")
        elif sent is not None and sent.size > MOST_BYTES:
            self.add_error("file", "The file is larger than 1 MB. Use manage.py receive_labels for it.")
        elif sent is not None:
            try:
                told["text"] = sent.read().decode("utf-8-sig")
            except UnicodeDecodeError as fault:
                self.add_error("file", f"Byte {fault.start} is not UTF-8. Save the file as UTF-8.")
        return told
