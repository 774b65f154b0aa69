"""Tests of a small shop against SQL Server in a container: Alembic makes its schema, SQLAlchemy works on it."""

import os
import time
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column, relationship
from testcontainers.community.mssql import SqlServerContainer

IMAGE = os.environ.get("MSSQL_IMAGE", "mcr.microsoft.com/mssql/server:2022-latest")


class Base(DeclarativeBase):
    pass


class Customer(Base):
    __tablename__ = "customers"
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(sa.Unicode(100))
    city: Mapped[str] = mapped_column(sa.Unicode(50), server_default="Kiel")
    orders: Mapped[list["Order"]] = relationship(back_populates="customer")


class Order(Base):
    __tablename__ = "orders"
    id: Mapped[int] = mapped_column(primary_key=True)
    customer_id: Mapped[int] = mapped_column(sa.ForeignKey("customers.id"))
    amount: Mapped[sa.Numeric] = mapped_column(sa.Numeric(10, 2))
    placed: Mapped[sa.DateTime] = mapped_column(sa.DateTime, server_default=sa.func.sysutcdatetime())
    customer: Mapped[Customer] = relationship(back_populates="orders")


@pytest.fixture(scope="session")
def server():
    began = time.monotonic()
    with SqlServerContainer(IMAGE, dbname="master") as server:
        print(f"\nready after {time.monotonic() - began:.1f} s")
        yield sa.make_url(server.get_connection_url())


@pytest.fixture
def migrations():
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    return config


@pytest.fixture
def engine(server, migrations):
    master = sa.create_engine(server, isolation_level="AUTOCOMMIT")
    with master.connect() as connection:
        connection.execute(sa.text("CREATE DATABASE shop"))
    engine = sa.create_engine(server.set(database="shop"))
    migrations.attributes["engine"] = engine
    command.upgrade(migrations, "head")
    yield engine
    engine.dispose()
    with master.connect() as connection:
        connection.execute(sa.text("ALTER DATABASE shop SET SINGLE_USER WITH ROLLBACK IMMEDIATE; DROP DATABASE shop"))
    master.dispose()


def test_migrations_go_down_and_up(engine, migrations):
    assert {"customers", "orders"} <= set(sa.inspect(engine).get_table_names())
    command.downgrade(migrations, "0001")
    inspector = sa.inspect(engine)
    assert "orders" not in inspector.get_table_names()
    assert [c["name"] for c in inspector.get_columns("customers")] == ["id", "name"]
    command.upgrade(migrations, "head")
    (index,) = sa.inspect(engine).get_indexes("orders")
    assert (index["name"], index["column_names"]) == ("ix_orders_customer", ["customer_id"])


def test_rows_come_back(engine):
    with Session(engine) as session:
        session.add(Customer(name="Müller", orders=[Order(amount="12.50"), Order(amount="7.25")]))
        session.commit()
    with Session(engine) as session:
        customer = session.scalars(sa.select(Customer).where(Customer.name.like("M%"))).one()
        assert (customer.name, customer.city) == ("Müller", "Kiel")
        assert sorted(str(o.amount) for o in customer.orders) == ["12.50", "7.25"]
        assert all(o.placed is not None for o in customer.orders)


def test_many_rows_and_groups(engine):
    with Session(engine) as session:
        session.add_all([Customer(name=f"c{n}", orders=[Order(amount=n)] * 1 + [Order(amount=1)]) for n in range(200)])
        session.commit()
        total = sa.func.sum(Order.amount)
        best = sa.select(Customer.name, total).join(Order).group_by(Customer.name).order_by(total.desc()).limit(2).offset(1)
        assert [(name, int(amount)) for name, amount in session.execute(best)] == [("c198", 199), ("c197", 198)]


def test_a_transaction_is_rolled_back(engine):
    with Session(engine) as session:
        session.add(Customer(name="stays"))
        session.flush()
        with pytest.raises(RuntimeError), session.begin_nested():
            session.add(Customer(name="gone"))
            session.flush()
            raise RuntimeError
        session.commit()
    with Session(engine) as session:
        session.add(Customer(name="gone, too"))
        session.flush()
        session.rollback()
        assert session.scalars(sa.select(Customer.name)).all() == ["stays"]


def test_constraints_are_errors(engine):
    with Session(engine) as session:
        session.add_all([Customer(name="twice"), Customer(name="twice")])
        with pytest.raises(sa.exc.IntegrityError, match="2627.*uq_customers"):
            session.commit()
        session.rollback()
        session.add(Order(customer_id=99, amount=1))
        with pytest.raises(sa.exc.IntegrityError, match="547.*fk_orders_customers"):
            session.commit()
