"""pytest's fixtures: one server a session, one database a test. pytest finds them by itself once the package is installed."""

import pytest

from ._server import server


@pytest.fixture(scope="session")
def taffrail_server():
    """A server that all tests of the session share (with pytest-xdist: of a worker)."""
    with server() as running:
        yield running


@pytest.fixture
def taffrail_database(taffrail_server):
    """An empty database for this test alone."""
    with taffrail_server.create_database() as database:
        yield database
