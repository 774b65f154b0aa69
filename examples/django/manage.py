"""Django's commands, each on a server of its own."""

import os
import sys

import taffrail
from django.core.management import execute_from_command_line

if __name__ == "__main__":
    with taffrail.server() as server:
        os.environ.update(
            DJANGO_SETTINGS_MODULE="shop.settings",
            SHOP_HOST=server.host,
            SHOP_PORT=str(server.port),
            SHOP_USER=server.user,
            SHOP_PASSWORD=server.password,
        )
        execute_from_command_line(sys.argv)
