"""Orders and their lines: identity, computed column, JSON, filtered index and index with included columns."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade():
    op.create_table(
        "sales_order",
        sa.Column("id", sa.BigInteger, sa.Identity(start=1000, increment=1), primary_key=True),
        sa.Column(
            "customer_id",
            sa.Integer,
            sa.ForeignKey("customer.id", name="fk_sales_order_customer", ondelete="CASCADE"),
            nullable=False,
        ),
        sa.Column("placed", sa.DateTime(timezone=True), nullable=False, server_default=sa.func.sysdatetimeoffset()),
        sa.Column("shipped", sa.DateTime(timezone=True)),
    )
    op.create_index("ix_sales_order_customer", "sales_order", ["customer_id"], mssql_include=["placed"])
    op.create_index("ix_sales_order_open", "sales_order", ["placed"], mssql_where=sa.text("shipped IS NULL"))
    op.create_table(
        "order_line",
        sa.Column(
            "order_id",
            sa.BigInteger,
            sa.ForeignKey("sales_order.id", name="fk_line_order", ondelete="CASCADE"),
            primary_key=True,
        ),
        sa.Column("number", sa.SmallInteger, primary_key=True, autoincrement=False),
        sa.Column("token", sa.Uuid, nullable=False, server_default=sa.func.newid()),
        sa.Column("quantity", sa.Integer, nullable=False),
        sa.Column("price", sa.Numeric(10, 2), nullable=False),
        sa.Column("amount", sa.Numeric(21, 2), sa.Computed("quantity * price", persisted=True), nullable=False),
        sa.Column("details", sa.JSON),
    )


def downgrade():
    op.drop_table("order_line")
    op.drop_table("sales_order")
