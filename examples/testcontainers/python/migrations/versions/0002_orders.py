import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade():
    op.create_table(
        "orders",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("customer_id", sa.Integer, sa.ForeignKey("customers.id", name="fk_orders_customers"), nullable=False),
        sa.Column("amount", sa.Numeric(10, 2), nullable=False),
        sa.Column("placed", sa.DateTime, server_default=sa.func.sysutcdatetime(), nullable=False),
    )
    op.create_index("ix_orders_customer", "orders", ["customer_id"])
    op.add_column("customers", sa.Column("city", sa.Unicode(50), server_default="Kiel", nullable=False))


def downgrade():
    op.drop_column("customers", "city", mssql_drop_default=True)
    op.drop_table("orders")
