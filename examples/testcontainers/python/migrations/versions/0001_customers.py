import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade():
    op.create_table(
        "customers",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("name", sa.Unicode(100), nullable=False),
        sa.UniqueConstraint("name", name="uq_customers"),
    )


def downgrade():
    op.drop_table("customers")
