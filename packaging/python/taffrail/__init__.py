"""A T-SQL database server for tests and tools: `with taffrail.server() as s:`, or the pytest fixtures of `taffrail.pytest_plugin`."""

from ._server import Database, Server, StartError, binary, server

__all__ = ["Database", "Server", "StartError", "binary", "server"]
