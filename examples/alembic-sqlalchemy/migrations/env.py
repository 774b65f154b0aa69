"""What Alembic runs: the test's connection, in `attributes`, and the models that the revisions lead to."""

from alembic import context

import models

connection = context.config.attributes["connection"]
context.configure(
    connection=connection,
    target_metadata=models.Base.metadata,
    compare_type=True,
    compare_server_default=False,
)
with context.begin_transaction():
    context.run_migrations()
