"""The shop's tests, each in a transaction that Django rolls back, or in a database that it empties."""

import datetime
from decimal import Decimal

from django.contrib.auth import authenticate, get_user_model
from django.contrib.sessions.backends.db import SessionStore
from django.core.management import call_command
from django.db import DatabaseError, IntegrityError, connection, transaction
from django.db.models import Count, F, OuterRef, Q, Subquery, Sum, Window
from django.db.models.deletion import ProtectedError
from django.db.models.functions import Lower, Rank, TruncMonth
from django.test import TestCase, TransactionTestCase

from .models import Category, Line, Order, Product


def sell(customer, **quantities):
    order = Order.objects.create(customer=customer, delivery=datetime.timedelta(days=2, hours=3))
    for name, quantity in quantities.items():
        product = Product.objects.get(name=name)
        order.lines.create(product=product, quantity=quantity, price=product.price)
    return order


class Shop(TestCase):
    @classmethod
    def setUpTestData(cls):
        cls.ada = get_user_model().objects.create_user("ada", password="engine")
        cls.tea, cls.mug = Product.objects.bulk_create(
            [
                Product(name="Tee", price="4.50", stock=10, details={"leaves": ["green", "black"], "grams": 100}),
                Product(name="Mug", price="7.25", stock=3, details={"volume": {"ml": 300}}),
            ]
        )
        cls.tea.categories.add(Category.objects.get(name="tea"))

    def test_queries(self):
        sell(self.ada, Tee=2, Mug=1)
        sell(self.ada, Tee=4)
        totals = Order.objects.annotate(total=Sum(F("lines__price") * F("lines__quantity"))).order_by("id")
        self.assertEqual([o.total for o in totals], [Decimal("16.25"), Decimal("18.00")])
        rank = Window(Rank(), order_by=F("sold").desc())
        sold = Product.objects.annotate(sold=Sum("line__quantity"), rank=rank).order_by("rank")
        self.assertEqual(list(sold.values_list("name", "sold", "rank")), [("Tee", 6, 1), ("Mug", 1, 2)])
        last = Line.objects.filter(product=OuterRef("pk")).order_by("-order_id").values("quantity")[:1]
        self.assertEqual(Product.objects.annotate(last=Subquery(last)).get(name="Tee").last, 4)
        months = Order.objects.annotate(month=TruncMonth("placed")).values("month").annotate(n=Count("id"))
        self.assertEqual([m["n"] for m in months], [2])
        self.assertEqual(Order.objects.first().delivery, datetime.timedelta(days=2, hours=3))

    def test_relations(self):
        drinks = Category.objects.prefetch_related("children__products").get(name="drinks")
        self.assertEqual([c.name for c in drinks.children.all()], ["coffee", "tea"])
        self.assertEqual([p.name for c in drinks.children.all() for p in c.products.all()], ["Tee"])
        self.assertEqual(Product.objects.filter(categories__parent__name__istartswith="DR").get(), self.tea)

    def test_json(self):
        self.assertEqual(Product.objects.get(details__leaves__0="green"), self.tea)
        self.assertEqual(Product.objects.get(details__volume__ml=300), self.mug)
        self.assertEqual(Product.objects.get(details__has_key="grams"), self.tea)

    def test_writes(self):
        Product.objects.filter(pk=self.tea.pk).update(stock=F("stock") - 3, name=Lower("name"))
        self.tea.refresh_from_db()
        self.assertEqual((self.tea.stock, self.tea.name), (7, "tee"))
        product, made = Product.objects.get_or_create(name="Müsli", defaults={"price": 3})
        self.assertTrue(made)
        self.assertEqual(Product.objects.filter(Q(name="Müsli") | Q(price__gt=7)).count(), 2)
        self.assertEqual(Product.objects.filter(pk=product.pk).delete()[0], 1)

    def test_constraints(self):
        with self.assertRaisesMessage(IntegrityError, "price_is_not_negative"), transaction.atomic():
            Product.objects.create(name="gift", price=-1)
        Product.objects.create(name="Mug", price=1, stock=0)
        with self.assertRaisesMessage(IntegrityError, "one_in_stock_of_a_name"), transaction.atomic():
            Product.objects.create(name="Mug", price=1, stock=1)
        sell(self.ada, Tee=1)
        with self.assertRaises(ProtectedError):
            self.tea.delete()

    def test_a_savepoint_is_rolled_back(self):
        with self.assertRaises(DatabaseError), transaction.atomic():
            Category.objects.create(name="gone")
            Category.objects.create(name="gone")
        self.assertFalse(Category.objects.filter(name="gone").exists())

    def test_users_and_sessions(self):
        self.assertEqual(authenticate(username="ada", password="engine"), self.ada)
        self.assertTrue(get_user_model().objects.filter(groups__isnull=True, is_active=True).exists())
        session = SessionStore()
        session["basket"] = [1, 2]
        session.save()
        self.assertEqual(SessionStore(session.session_key)["basket"], [1, 2])


class Migrations(TransactionTestCase):
    def columns(self):
        with connection.cursor() as cursor:
            return {c.name for c in connection.introspection.get_table_description(cursor, "shop_product")}

    def test_down_and_up(self):
        self.assertIn("details", self.columns())
        call_command("migrate", "shop", "zero", verbosity=0)
        self.assertNotIn("shop_product", connection.introspection.table_names())
        call_command("migrate", "shop", verbosity=0)
        self.assertIn("details", self.columns())
        self.assertEqual(Category.objects.get(name="tea").parent.name, "drinks")

    def test_the_models_are_migrated(self):
        call_command("makemigrations", "shop", check=True, dry_run=True, verbosity=0)

    def test_a_row_is_locked(self):
        Product.objects.create(name="one", price=1)
        with transaction.atomic():
            row = Product.objects.select_for_update().get(name="one")
            row.stock = 5
            row.save(update_fields=["stock"])
        self.assertEqual(Product.objects.get(name="one").stock, 5)
