"""The least that Django's own applications and the shop need."""

import os

SECRET_KEY = "only for the example"
USE_TZ = True
INSTALLED_APPS = ["django.contrib.contenttypes", "django.contrib.auth", "django.contrib.sessions", "shop"]
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
DATABASES = {
    "default": {
        "ENGINE": "mssql",
        "NAME": "shop",
        "HOST": os.environ["SHOP_HOST"],
        "PORT": os.environ["SHOP_PORT"],
        "USER": os.environ["SHOP_USER"],
        "PASSWORD": os.environ["SHOP_PASSWORD"],
        "OPTIONS": {
            "python_driver": "mssql_python",
            "extra_params": "TrustServerCertificate=yes",
            "return_rows_bulk_insert": True,
        },
    }
}
