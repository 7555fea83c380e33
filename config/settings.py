"""All settings. Everything that changes only speed or place lives here; what changes an answer lives in
`triage/core/policy.py`. Nothing else reads the environment. Each variable is documented in docs/settings.md.
"""

from __future__ import annotations

import tomllib
from datetime import timedelta
from pathlib import Path

from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured
from kombu.entity import Queue
from psycopg.conninfo import conninfo_to_dict

from config import embedded
from config.env import env_bool, env_int, env_list, env_text
from config.extras import SIGN_ON_APPS, check_sign_on, need
from config.logs import django_logging, secrets_in
from config.production import refuse_unsafe
from config.secret import local_secret_key

BASE_DIR = Path(__file__).resolve().parent.parent
#: Everything the product writes on a laptop: database, uploads, secret key, sockets, logs.
VAR_DIR = Path(env_text("RAG_TRIAGE_VAR", str(BASE_DIR / "var")))

# --- safety -----------------------------------------------------------------------------------------------------
DEBUG = env_bool("DEBUG", False)
#: PRODUCTION=1 refuses a weak key, DEBUG, a wildcard host and a Redis without password (config/production.py).
PRODUCTION = env_bool("PRODUCTION", False)
SECRET_KEY = env_text("SECRET_KEY") or ("" if PRODUCTION else local_secret_key(VAR_DIR))
SECRET_KEY_FALLBACKS = env_list("SECRET_KEY_FALLBACKS")
ALLOWED_HOSTS = env_list("ALLOWED_HOSTS", ("localhost", "127.0.0.1", "[::1]"))
CSRF_TRUSTED_ORIGINS = env_list("CSRF_TRUSTED_ORIGINS")
BEHIND_TLS = env_bool("BEHIND_TLS", PRODUCTION)
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = BEHIND_TLS
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_AGE = 14 * 24 * 3600
SECURE_SSL_REDIRECT = BEHIND_TLS and env_bool("SSL_REDIRECT", True)
#: Asked from inside the machine, without a proxy in front.
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$"]
SECURE_HSTS_SECONDS = env_int("HSTS_SECONDS", 31_536_000 if BEHIND_TLS else 0)
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = BEHIND_TLS
if env_bool("TRUST_FORWARDED_PROTO", False):
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
CSRF_FAILURE_VIEW = "triage.views.errors.csrf_failure"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
        "base-uri": [NONE],
    }
}

# --- the application --------------------------------------------------------------------------------------------
INSTALLED_APPS = [
    # Before Django's own accounts: `changepassword` is ours, it stops tokens too.
    "triage",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "django.contrib.postgres",
    "axes",
    "csp",
    "django_htmx",
    "template_partials",
    "config",
    "labeling",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "triage.middleware.KeptNowhere",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "triage.middleware.Known",
    "triage.middleware.LoginRequired",
    "triage.middleware.Acting",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "axes.middleware.AxesMiddleware",
]
ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "builtins": ["template_partials.templatetags.partials"],
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "triage.views.frame.frame",
            ],
        },
    },
    {
        "BACKEND": "django.template.backends.jinja2.Jinja2",
        "NAME": "compiled",
        "DIRS": [BASE_DIR / "templates"],
        "OPTIONS": {"environment": "config.compiled.environment"},
    },
]
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "login"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
AUTHENTICATION_BACKENDS = ["axes.backends.AxesStandaloneBackend", "django.contrib.auth.backends.ModelBackend"]
#: Wrong passwords of one name from one address before it has to wait. Counted in the database: a restart forgets none.
AXES_FAILURE_LIMIT = env_int("LOGIN_FAILURES_MAX", 5)
AXES_COOLOFF_TIME = timedelta(minutes=env_int("LOGIN_WAIT_MINUTES", 15))
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
#: ... and of all names together from one address: an office may share one, a list of names may not be tried from it.
LOGIN_FAILURES_PER_ADDRESS = env_int("LOGIN_FAILURES_PER_ADDRESS", 50)
AXES_HANDLER = "triage.throttle.AddressesToo"
#: Trying on while one has to wait makes nobody wait longer: the minutes told are the minutes left.
AXES_RESET_COOL_OFF_ON_FAILURE_DURING_LOCKOUT = False
AXES_RESET_ON_SUCCESS = True
AXES_LOCKOUT_CALLABLE = "triage.views.people.locked_out"
AXES_CLIENT_IP_CALLABLE = "triage.throttle.client_ip"
#: How many proxies of one's own stand in front; 0 = X-Forwarded-For is not believed.
TRUSTED_PROXIES = env_int("TRUSTED_PROXIES", 0)
#: The journal says who logged in; axes keeps nothing but the failed attempts.
AXES_DISABLE_ACCESS_LOG = True
AXES_ENABLE_ADMIN = AXES_VERBOSE = False
#: Never kept of a failed attempt, as passwords are not.
AXES_SENSITIVE_PARAMETERS = ["code", "state", "invitation"]
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
LANGUAGE_CODE = "en-gb"
TIME_ZONE = "UTC"
USE_I18N = False
USE_TZ = True
#: Django's sessions in the database, read together with their account.
SESSION_ENGINE = "triage.sessions"
SESSION_SERIALIZER = "django.contrib.sessions.serializers.JSONSerializer"
MESSAGE_STORAGE = "django.contrib.messages.storage.session.SessionStorage"

# --- log-in by the operator's own provider: off unless OIDC_ISSUER names one (docs/security.md) -----------------------
OIDC_ISSUER = env_text("OIDC_ISSUER")
OIDC_CLIENT_ID = env_text("OIDC_CLIENT_ID")
OIDC_CLIENT_SECRET = env_text("OIDC_CLIENT_SECRET")
#: What the button says: Log in with ...
OIDC_NAME = env_text("OIDC_NAME", "single sign-on")
#: Only people with a verified address of these domains, and in one of these groups; none = whoever the provider knows.
OIDC_DOMAINS = env_list("OIDC_DOMAINS")
OIDC_GROUPS = env_list("OIDC_GROUPS")
OIDC_GROUPS_CLAIM = env_text("OIDC_GROUPS_CLAIM", "groups")
#: Slug of the project whose viewer anybody who may come in becomes; blank = no account is made without an invitation.
OIDC_ADMIT_TO = env_text("OIDC_ADMIT_TO")
if OIDC_ISSUER:
    check_sign_on(
        OIDC_ISSUER,
        OIDC_CLIENT_ID,
        OIDC_CLIENT_SECRET,
        admit_to=OIDC_ADMIT_TO,
        domains=OIDC_DOMAINS,
        groups=OIDC_GROUPS,
    )
    INSTALLED_APPS += SIGN_ON_APPS
    MIDDLEWARE.append("allauth.account.middleware.AccountMiddleware")
    SOCIALACCOUNT_ADAPTER = "triage.sign_on.provider.Refusals"
    SOCIALACCOUNT_REQUESTS_TIMEOUT = env_int("OUTBOUND_TIMEOUT_S", 10)

STATIC_URL = "static/"
#: Filled by collectstatic in an image; on a laptop files are served from static/ as they are.
STATIC_ROOT = Path(env_text("STATIC_ROOT", str(VAR_DIR / "static")))
STATIC_ROOT.mkdir(parents=True, exist_ok=True)
STATICFILES_DIRS = [BASE_DIR / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
WHITENOISE_USE_FINDERS = True

# --- messages to the outside: off unless the operator switches them on (docs/settings.md) ----------------------------
WEBHOOKS = env_bool("WEBHOOKS", False)
WEBHOOK_SECRET = env_text("WEBHOOK_SECRET")
#: Hosts inside the network that may be sent to, by http or https; every other one must have public addresses only.
OUTBOUND_PRIVATE_HOSTS = [host.lower() for host in env_list("OUTBOUND_PRIVATE_HOSTS")]
OUTBOUND_TIMEOUT_S = env_int("OUTBOUND_TIMEOUT_S", 10)
#: What stands before the paths in mails and messages: https://triage.example.org
PUBLIC_URL = env_text("PUBLIC_URL").rstrip("/")
#: Who is told what is newly due, at most once a day.
DUE_MAIL_TO = env_list("DUE_MAIL_TO")
DUE_WEBHOOK_URL = env_text("DUE_WEBHOOK_URL")
DUE_EVERY_S = env_int("DUE_EVERY_S", 3_600)
EMAIL_HOST = env_text("EMAIL_HOST", "localhost")
EMAIL_PORT = env_int("EMAIL_PORT", 25)
EMAIL_HOST_USER = env_text("EMAIL_HOST_USER")
EMAIL_HOST_PASSWORD = env_text("EMAIL_HOST_PASSWORD")
EMAIL_USE_TLS = env_bool("EMAIL_USE_TLS", False)
EMAIL_TIMEOUT = OUTBOUND_TIMEOUT_S
DEFAULT_FROM_EMAIL = env_text("DEFAULT_FROM_EMAIL", "rag-triage@localhost")

# --- services ---------------------------------------------------------------------------------------------------


def _database(url: str) -> dict[str, object]:
    """Turn a postgresql:// URL into Django's settings; anything but PostgreSQL is refused."""
    if not url.startswith(("postgres://", "postgresql://")):
        raise ImproperlyConfigured("DATABASE_URL must start with postgresql://: RAG Triage runs on PostgreSQL only.")
    parts = conninfo_to_dict(url)
    options = {key: value for key, value in parts.items() if key not in {"dbname", "user", "password", "host", "port"}}
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": parts.get("dbname", ""),
        "USER": parts.get("user", ""),
        "PASSWORD": parts.get("password", ""),
        "HOST": parts.get("host", ""),
        "PORT": parts.get("port", ""),
        "OPTIONS": options,
        "CONN_MAX_AGE": env_int("CONN_MAX_AGE", 60),
        "CONN_HEALTH_CHECKS": True,
    }


DATABASE_URL = env_text("DATABASE_URL")
DATABASES = {"default": _database(DATABASE_URL) if DATABASE_URL else embedded.database_settings(VAR_DIR)}

REDIS_URL = env_text("REDIS_URL")
CELERY_BROKER_URL = REDIS_URL or embedded.redis_url(VAR_DIR)

if PRODUCTION:
    refuse_unsafe(SECRET_KEY, debug=DEBUG, allowed_hosts=ALLOWED_HOSTS, database_url=DATABASE_URL, redis_url=REDIS_URL)
# --- what watches it from outside: off unless set (docs/deploy.md) ----------------------------------------------------
SENTRY_DSN = env_text("SENTRY_DSN")
SENTRY_ENVIRONMENT = env_text("SENTRY_ENVIRONMENT", "production")
if SENTRY_DSN:
    need("sentry_sdk", "SENTRY_DSN")
#: Where spans go, as OTLP over HTTP: http://collector:4318/v1/traces
TRACES_ENDPOINT = env_text("TRACES_ENDPOINT")
#: Of a hundred traces this many are kept.
TRACES_PERCENT = env_int("TRACES_PERCENT", 100)
if TRACES_ENDPOINT:
    need("opentelemetry.exporter.otlp.proto.http", "TRACES_ENDPOINT")
    MIDDLEWARE.insert(0, "config.tracing.Traced")
#: Whoever shows this key may read /metrics; blank = there is no such page.
METRICS_KEY = env_text("METRICS_KEY")
LOGGING = django_logging(
    secrets_in(
        SECRET_KEY,
        DATABASE_URL,
        REDIS_URL,
        WEBHOOK_SECRET,
        EMAIL_HOST_PASSWORD,
        METRICS_KEY,
        OIDC_CLIENT_SECRET,
        SENTRY_DSN,
    )
)

# --- Celery (reasons in docs/adr/0004-celery-settings.md) ----------------------------------------------------------
#: Seconds after which an unacknowledged message is delivered again; far above the hard time limit of a task.
VISIBILITY_TIMEOUT_S = env_int("VISIBILITY_TIMEOUT_S", 600)
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_RESULT_BACKEND = None
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_TASK_SOFT_TIME_LIMIT = env_int("TASK_SOFT_TIME_LIMIT_S", 120)
CELERY_TASK_TIME_LIMIT = env_int("TASK_TIME_LIMIT_S", 150)
CELERY_VISIBILITY_TIMEOUT = VISIBILITY_TIMEOUT_S
#: Checks of answers that a program waits for come before the batches of runs. Workers take from both queues;
#: `celery -A config worker -Q ground` is one for checks alone.
CELERY_TASK_QUEUES = [Queue(name) for name in ("ground", "celery")]  # type: ignore[no-untyped-call]
CELERY_TASK_ROUTES = {"triage.check_grounding": {"queue": "ground"}}
CELERY_BROKER_TRANSPORT_OPTIONS = {
    "queue_order_strategy": "priority",
    "visibility_timeout": VISIBILITY_TIMEOUT_S,
    "unacked_restore_interval": 10,
    "unacked_restore_throttle": 1,
    "socket_timeout": 5,
    "socket_connect_timeout": 5,
}
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
CELERY_WORKER_SOFT_SHUTDOWN_TIMEOUT = 30
CELERY_WORKER_MAX_TASKS_PER_CHILD = 200
CELERY_WORKER_MAX_MEMORY_PER_CHILD = 500_000
CELERY_WORKER_CANCEL_LONG_RUNNING_TASKS_ON_CONNECTION_LOSS = True
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_TASK_PUBLISH_RETRY_POLICY = {"max_retries": 1, "interval_start": 0.1}
#: Seconds between the sweeps that hand every unfinished run to `advance` again.
SWEEP_EVERY_S = env_int("SWEEP_EVERY_S", 15)
CELERY_BEAT_SCHEDULE = {
    # A sweep that nobody took before the next one comes is not worth doing: no pile of them waits for a worker.
    "sweep": {"task": "triage.sweep", "schedule": float(SWEEP_EVERY_S), "options": {"expires": float(SWEEP_EVERY_S)}},
    "announce_due": {
        "task": "labeling.announce_due",
        "schedule": float(DUE_EVERY_S),
        "options": {"expires": float(DUE_EVERY_S)},
    },
}
CELERY_BEAT_SCHEDULE_FILENAME = str(VAR_DIR / "celerybeat-schedule")

# --- limits, printed before an upload -----------------------------------------------------------------------------
UPLOAD_MAX_BYTES = env_int("UPLOAD_MAX_BYTES", 2 * 1024**3)
UPLOAD_DIR = VAR_DIR / "uploads"
LINE_MAX_BYTES = env_int("LINE_MAX_BYTES", 16 * 1024**2)
CHUNKS_PER_QUERY_MAX = env_int("CHUNKS_PER_QUERY_MAX", 1_000)
CLAIMS_PER_ANSWER_MAX = env_int("CLAIMS_PER_ANSWER_MAX", 1_000)
NESTING_MAX = env_int("NESTING_MAX", 64)
DATA_UPLOAD_MAX_MEMORY_SIZE = 2 * 1024**2
FILE_UPLOAD_MAX_MEMORY_SIZE = 1024**2
DATA_UPLOAD_MAX_NUMBER_FIELDS = 2_000
DATA_UPLOAD_MAX_NUMBER_FILES = 20
FILE_UPLOAD_HANDLERS = [
    "triage.views.size_guard.SizeGuard",
    "django.core.files.uploadhandler.MemoryFileUploadHandler",
    "django.core.files.uploadhandler.TemporaryFileUploadHandler",
]
FILE_UPLOAD_TEMP_DIR = VAR_DIR / "tmp"
FILE_UPLOAD_TEMP_DIR.mkdir(parents=True, exist_ok=True)

# --- judges of the operator (docs/judges.md): a TOML table in JUDGES, or in the file that JUDGES_FILE names ---------


def _judges(text: str) -> dict[str, object]:
    """Return the table `judges` of the operator's file; what each judge needs is checked where it is opened."""
    try:
        table = tomllib.loads(text).get("judges", {})
    except tomllib.TOMLDecodeError as error:
        raise ImproperlyConfigured(f"JUDGES_FILE is no TOML: {error}") from error
    if not isinstance(table, dict):
        raise ImproperlyConfigured("JUDGES_FILE needs one table for each judge: [judges.NAME].")
    return table


JUDGES = _judges(env_text("JUDGES"))

#: Runs older than this many days are deleted with everything said of them; 0 = kept for ever.
KEEP_RUNS_DAYS = env_int("KEEP_RUNS_DAYS", 0)

# --- speed only -----------------------------------------------------------------------------------------------------
INGEST_BATCH_QUERIES = env_int("INGEST_BATCH_QUERIES", 500)
SCORE_BATCH_QUERIES = env_int("SCORE_BATCH_QUERIES", 20)
CLASSIFY_BATCH_QUERIES = env_int("CLASSIFY_BATCH_QUERIES", 1_000)
ERASE_BATCH_QUERIES = env_int("ERASE_BATCH_QUERIES", 200)
LEASE_MINUTES = env_int("LEASE_MINUTES", 15)
#: How long the item after this one is kept for a reviewer whose page has fetched it ahead.
RESERVE_S = env_int("RESERVE_S", 120)
#: A worker not seen for this long is shown as slow, then as away.
WORKER_SLOW_S = env_int("WORKER_SLOW_S", 30)
WORKER_AWAY_S = env_int("WORKER_AWAY_S", 120)

# --- the API ----------------------------------------------------------------------------------------------------------
#: Calls a token may make in a minute, and how many of them at once.
API_CALLS_PER_MINUTE = env_int("API_CALLS_PER_MINUTE", 600)
API_BURST = env_int("API_BURST", 100)
#: Seconds a check of an answer waits for a worker, and checks that wait in one web process at a time.
GROUND_WAIT_S = env_int("GROUND_WAIT_S", 20)
GROUND_AT_ONCE = env_int("GROUND_AT_ONCE", 2)
