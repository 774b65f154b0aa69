"""The categories that every shop begins with."""

from django.db import migrations

TREE = {"drinks": ["tea", "coffee"], "tools": []}


def plant(apps, schema_editor):
    category = apps.get_model("shop", "Category")
    for name, children in TREE.items():
        parent = category.objects.create(name=name)
        category.objects.bulk_create([category(name=child, parent=parent) for child in children])


def fell(apps, schema_editor):
    apps.get_model("shop", "Category").objects.all().delete()


class Migration(migrations.Migration):
    dependencies = [("shop", "0001_initial")]
    operations = [migrations.RunPython(plant, fell)]
