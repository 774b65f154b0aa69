"""Products in categories, orders with lines."""

from django.conf import settings
from django.db import models
from django.db.models import Q


class Category(models.Model):
    name = models.CharField(max_length=60, unique=True)
    parent = models.ForeignKey("self", models.CASCADE, null=True, blank=True, related_name="children")

    class Meta:
        ordering = ["name"]


class Product(models.Model):
    name = models.CharField(max_length=100)
    price = models.DecimalField(max_digits=9, decimal_places=2)
    stock = models.PositiveIntegerField(default=0)
    categories = models.ManyToManyField(Category, related_name="products")
    details = models.JSONField(default=dict)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(price__gte=0), name="price_is_not_negative"),
            models.UniqueConstraint(fields=["name"], condition=Q(stock__gt=0), name="one_in_stock_of_a_name"),
        ]
        indexes = [models.Index(fields=["price", "-stock"], name="by_price")]


class Order(models.Model):
    customer = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="orders")
    placed = models.DateTimeField(auto_now_add=True)
    delivery = models.DurationField(null=True)


class Line(models.Model):
    order = models.ForeignKey(Order, models.CASCADE, related_name="lines")
    product = models.ForeignKey(Product, models.PROTECT)
    quantity = models.PositiveSmallIntegerField()
    price = models.DecimalField(max_digits=9, decimal_places=2)

    class Meta:
        unique_together = [("order", "product")]
