"""The shop as its program sees it: after the last revision."""

import datetime
import decimal
import uuid

import sqlalchemy as sa
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, relationship


class Base(DeclarativeBase):
    pass


class Customer(Base):
    __tablename__ = "customer"
    __table_args__ = (sa.UniqueConstraint("email", name="uq_customer_email"), {"comment": "Who buys"})
    id: Mapped[int] = mapped_column(primary_key=True)
    first_name: Mapped[str] = mapped_column(sa.Unicode(60))
    last_name: Mapped[str] = mapped_column(sa.Unicode(60))
    email: Mapped[str] = mapped_column(sa.String(200))
    orders: Mapped[list["Order"]] = relationship(back_populates="customer")


class Order(Base):
    __tablename__ = "sales_order"
    __table_args__ = (
        sa.Index("ix_sales_order_customer", "customer_id", mssql_include=["placed"]),
        sa.Index("ix_sales_order_open", "placed", mssql_where=sa.text("shipped IS NULL")),
    )
    id: Mapped[int] = mapped_column(sa.BigInteger, sa.Identity(start=1000, increment=1), primary_key=True)
    customer_id: Mapped[int] = mapped_column(
        sa.ForeignKey("customer.id", name="fk_sales_order_customer", ondelete="CASCADE")
    )
    placed: Mapped[datetime.datetime] = mapped_column(
        sa.DateTime(timezone=True), server_default=sa.func.sysdatetimeoffset()
    )
    shipped: Mapped[datetime.datetime | None] = mapped_column(sa.DateTime(timezone=True))
    customer: Mapped[Customer] = relationship(back_populates="orders")
    lines: Mapped[list["Line"]] = relationship(cascade="all, delete-orphan")


class Line(Base):
    __tablename__ = "sales_order_line"
    order_id: Mapped[int] = mapped_column(
        sa.ForeignKey("sales_order.id", name="fk_line_order", ondelete="CASCADE"), primary_key=True
    )
    number: Mapped[int] = mapped_column(sa.SmallInteger, primary_key=True, autoincrement=False)
    token: Mapped[uuid.UUID] = mapped_column(sa.Uuid, server_default=sa.func.newid())
    quantity: Mapped[int]
    price: Mapped[decimal.Decimal] = mapped_column(sa.Numeric(10, 2))
    amount: Mapped[decimal.Decimal] = mapped_column(sa.Numeric(21, 2), sa.Computed("quantity * price", persisted=True))
    details: Mapped[dict | None] = mapped_column(sa.JSON)
