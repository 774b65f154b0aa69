"""The name in two columns, with the data moved; a wider email that is unique; another name of a table."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade():
    op.add_column("customer", sa.Column("last_name", sa.Unicode(60), nullable=False, server_default=""))
    op.execute(
        "UPDATE customer SET last_name = SUBSTRING(name, CHARINDEX(N' ', name) + 1, 60), "
        "name = LEFT(name, CHARINDEX(N' ', name) - 1) WHERE name LIKE N'% %'"
    )
    op.drop_constraint("ck_customer_name", "customer", type_="check")
    op.alter_column("customer", "name", new_column_name="first_name")
    op.alter_column("customer", "first_name", type_=sa.Unicode(60), existing_nullable=False)
    op.alter_column(
        "customer", "email", type_=sa.String(200), existing_type=sa.String(100), nullable=False, server_default=None
    )
    op.create_unique_constraint("uq_customer_email", "customer", ["email"])
    op.rename_table("order_line", "sales_order_line")


def downgrade():
    op.rename_table("sales_order_line", "order_line")
    op.drop_constraint("uq_customer_email", "customer", type_="unique")
    op.alter_column("customer", "email", type_=sa.String(100), existing_nullable=False, server_default="unknown")
    op.alter_column("customer", "first_name", type_=sa.Unicode(120), existing_nullable=False)
    op.alter_column("customer", "first_name", new_column_name="name")
    op.create_check_constraint("ck_customer_name", "customer", "LEN(name) > 0")
    op.execute("UPDATE customer SET name = name + N' ' + last_name WHERE last_name > N''")
    op.drop_column("customer", "last_name", mssql_drop_default=True)
