"""Customers, with their name in one column."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade():
    op.create_table(
        "customer",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("name", sa.Unicode(120), nullable=False),
        sa.Column("email", sa.String(100), nullable=False, server_default="unknown"),
        sa.CheckConstraint("LEN(name) > 0", name="ck_customer_name"),
        comment="Who buys",
    )


def downgrade():
    op.drop_table("customer")
