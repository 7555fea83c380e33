"""Django's PostgreSQL backend, except that a connection refused starts the embedded server and tries again."""
