"""Pure nouns of the machine's half: values in, values out; nothing here knows Django, files or clocks."""
