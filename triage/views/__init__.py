"""Views check access, read a form, call one verb or one queryset method, and render."""
