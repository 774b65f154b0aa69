"""Alembic takes an empty database to the models and back; SQLAlchemy works on what it made."""

import pathlib

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from sqlalchemy.orm import Session, selectinload

import models

HERE = pathlib.Path(__file__).parent


@pytest.fixture
def engine(taffrail_database):
    engine = sa.create_engine(taffrail_database.url("pymssql"))
    yield engine
    engine.dispose()


def migrate(engine, to, way=command.upgrade):
    config = Config()
    config.set_main_option("script_location", str(HERE / "migrations"))
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        way(config, to)


def down(engine, to):
    migrate(engine, to, command.downgrade)


def tables(engine):
    return sorted(sa.inspect(engine).get_table_names())


def test_up_and_down(engine):
    migrate(engine, "head")
    assert tables(engine) == ["alembic_version", "customer", "sales_order", "sales_order_line"]
    down(engine, "0001")
    assert tables(engine) == ["alembic_version", "customer"]
    down(engine, "base")
    assert tables(engine) == ["alembic_version"]
    migrate(engine, "head")


def test_the_revisions_lead_to_the_models(engine):
    migrate(engine, "head")
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, models.Base.metadata) == []


def test_a_missing_column_is_found(engine):
    migrate(engine, "head")
    with engine.begin() as connection:
        connection.exec_driver_sql("ALTER TABLE customer DROP COLUMN first_name")
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        (found,) = compare_metadata(context, models.Base.metadata)
    assert found[0] == "add_column" and found[3].name == "first_name"


def test_rows_survive_both_ways(engine):
    migrate(engine, "0002")
    with engine.begin() as connection:
        connection.execute(sa.text("INSERT customer (name) VALUES (N'Ada Lovelace'), (N'Zoë')"))
        connection.execute(sa.text("UPDATE customer SET email = CONCAT('c', id)"))
    migrate(engine, "head")
    names = sa.text("SELECT first_name, last_name, email FROM customer ORDER BY id")
    with engine.begin() as connection:
        assert connection.execute(names).all() == [("Ada", "Lovelace", "c1"), ("Zoë", "", "c2")]
    down(engine, "0001")
    with engine.begin() as connection:
        assert connection.scalars(sa.text("SELECT name FROM customer ORDER BY id")).all() == ["Ada Lovelace", "Zoë"]


def test_a_failed_revision_leaves_nothing(engine):
    migrate(engine, "0002")
    with engine.begin() as connection:
        # The revision makes email unique, and these are not.
        connection.execute(sa.text("INSERT customer (name) VALUES (N'Ada Lovelace'), (N'Zoë')"))
    with pytest.raises(sa.exc.DBAPIError, match="1505"):
        migrate(engine, "head")
    assert "order_line" in tables(engine)
    assert "last_name" not in {c["name"] for c in sa.inspect(engine).get_columns("customer")}
    with engine.connect() as connection:
        assert connection.scalar(sa.text("SELECT version_num FROM alembic_version")) == "0002"


def test_the_schema_is_told(engine):
    migrate(engine, "head")
    inspector = sa.inspect(engine)
    assert inspector.get_table_comment("customer") == {"text": "Who buys"}
    (key,) = inspector.get_foreign_keys("sales_order")
    assert (key["name"], key["options"]) == ("fk_sales_order_customer", {"ondelete": "CASCADE"})
    indexes = {i["name"]: i for i in inspector.get_indexes("sales_order")}
    assert indexes["ix_sales_order_customer"]["dialect_options"]["mssql_include"] == ["placed"]
    assert indexes["ix_sales_order_open"]["dialect_options"]["mssql_where"] == "([shipped] IS NULL)"
    computed = {c["name"]: c.get("computed") for c in inspector.get_columns("sales_order_line")}["amount"]
    assert computed == {"sqltext": "([quantity]*[price])", "persisted": True}


def test_the_models_work(engine):
    migrate(engine, "head")
    with Session(engine) as session:
        ada = models.Customer(first_name="Ada", last_name="Lovelace", email="ada@example.com")
        ada.orders.append(
            models.Order(lines=[models.Line(number=n, quantity=n, price="2.50", details={"n": n}) for n in (1, 2, 3)])
        )
        session.add(ada)
        session.commit()
        assert ada.orders[0].id == 1000
    with Session(engine) as session:
        order = session.scalars(sa.select(models.Order).options(selectinload(models.Order.lines))).one()
        assert [str(line.amount) for line in order.lines] == ["2.50", "5.00", "7.50"]
        assert order.lines[2].details == {"n": 3} and len({line.token for line in order.lines}) == 3
        running = sa.func.sum(models.Line.amount).over(order_by=models.Line.number)
        assert [str(v) for v in session.scalars(sa.select(running).order_by(models.Line.number))] == [
            "2.50",
            "7.50",
            "15.00",
        ]
        session.execute(sa.delete(models.Customer))
        session.commit()
        assert session.scalar(sa.select(sa.func.count()).select_from(models.Line)) == 0
