"""Tests of a small shop with SQLAlchemy: one server for all of them, a new database for each."""

import pytest
import sqlalchemy as sa
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column, relationship


class Base(DeclarativeBase):
    pass


class Customer(Base):
    __tablename__ = "customers"
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(sa.Unicode(100), unique=True)
    orders: Mapped[list["Order"]] = relationship(back_populates="customer")


class Order(Base):
    __tablename__ = "orders"
    id: Mapped[int] = mapped_column(primary_key=True)
    customer_id: Mapped[int] = mapped_column(sa.ForeignKey("customers.id"))
    amount: Mapped[sa.Numeric] = mapped_column(sa.Numeric(10, 2))
    placed: Mapped[sa.DateTime] = mapped_column(sa.DateTime, server_default=sa.func.sysutcdatetime())
    customer: Mapped[Customer] = relationship(back_populates="orders")


@pytest.fixture
def engine(taffrail_database):
    engine = sa.create_engine(taffrail_database.url("pymssql"))
    Base.metadata.create_all(engine)
    yield engine
    engine.dispose()


def test_rows_come_back(engine):
    with Session(engine) as session:
        session.add(Customer(name="Müller", orders=[Order(amount="12.50"), Order(amount="7.25")]))
        session.commit()
    with Session(engine) as session:
        customer = session.scalars(sa.select(Customer)).one()
        assert customer.name == "Müller"
        assert sorted(str(o.amount) for o in customer.orders) == ["12.50", "7.25"]
        assert all(o.placed is not None for o in customer.orders)


def test_aggregates_and_pages(engine):
    with Session(engine) as session:
        for n in range(10):
            session.add(Customer(name=f"c{n}", orders=[Order(amount=n) for _ in range(n)]))
        session.commit()
        total = sa.func.sum(Order.amount)
        by_customer = (
            sa.select(Customer.name, sa.func.count(Order.id), total)
            .join(Order)
            .group_by(Customer.name)
            .order_by(total.desc())
        )
        page = session.execute(by_customer.offset(1).limit(2)).all()
        assert [(name, count, int(sum_)) for name, count, sum_ in page] == [("c8", 8, 64), ("c7", 7, 49)]


def test_a_transaction_is_rolled_back(engine):
    with Session(engine) as session:
        session.add(Customer(name="gone"))
        session.flush()
        session.rollback()
        assert session.scalar(sa.select(sa.func.count()).select_from(Customer)) == 0


def test_constraints_are_errors(engine):
    with Session(engine) as session:
        session.add(Customer(name="twice"))
        session.flush()
        session.add(Customer(name="twice"))
        with pytest.raises(sa.exc.IntegrityError, match="2627"):
            session.commit()
        session.rollback()
        session.add(Order(customer_id=99, amount=1))
        with pytest.raises(sa.exc.IntegrityError, match="547"):
            session.commit()


def test_the_schema_is_reflected(engine):
    inspector = sa.inspect(engine)
    assert sorted(inspector.get_table_names()) == ["customers", "orders"]
    columns = {c["name"]: c for c in inspector.get_columns("orders")}
    assert (columns["amount"]["type"].precision, columns["amount"]["type"].scale) == (10, 2)
    assert not columns["amount"]["nullable"]
    (key,) = inspector.get_foreign_keys("orders")
    assert (key["referred_table"], key["constrained_columns"]) == ("customers", ["customer_id"])
