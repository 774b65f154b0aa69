"""Eight tables whose types, indexes and rows a seed decides, and two views of them."""

import datetime
import random

from tree import BINARY

TABLES = 8
WORDS = ["", "a", "A", "ab", "aB", "abc", "b", "ba", "B1", "c", "cab", "x_y", "10", "9", "Zz", "a-b", "%a", "it's"]
FIRST_DAY = datetime.date(2024, 1, 28)

# Columns beside `id`: name, type, and what the column is in each dialect.
COLUMNS = [
    ("i", "int", [("int", "int", "INTEGER")]),
    ("j", "int", [("smallint", "smallint", "INTEGER"), ("int", "int", "INTEGER"), ("bigint", "bigint", "INTEGER")]),
    ("k", "int", [("bigint", "bigint", "INTEGER")]),
    ("n", "dec", [("decimal(9, 2)", "numeric(9, 2)", "NUMERIC"), ("decimal(12, 2)", "numeric(12, 2)", "NUMERIC")]),
    ("f", "float", [("float", "float8", "REAL")]),
    ("s", "text", [(f"varchar(12) COLLATE {BINARY}", "varchar(12)", "TEXT"), (f"nvarchar(12) COLLATE {BINARY}", "varchar(12)", "TEXT")]),
    ("w", "text", [(f"nvarchar(12) COLLATE {BINARY}", "varchar(12)", "TEXT"), (f"varchar(12) COLLATE {BINARY}", "varchar(12)", "TEXT")]),
    ("d", "date", [("date", "date", "TEXT")]),
]
# The greatest value that may be stored, or the greatest length.
BOUNDS = {"id": 30000, "i": 30000, "j": 30000, "k": 2**40, "n": 30000, "f": 30000, "s": 12, "w": 12, "d": 0}
PRECISION = {"id": 10, "i": 10, "j": 10, "k": 19, "n": 12}


class Table:
    """`columns`: names and types; `key`: those that say which row it is; `rows`: how many at most."""

    def __init__(self, name, columns, key, rows, bounds=None, precision=None):
        self.name, self.columns, self.key, self.rows = name, columns, key, rows
        self.bounds = bounds or BOUNDS
        self.precision = precision or PRECISION
        self.scripts = ([], [], [])


def value(dice, type, column):
    """A value as Python has it; decimals and floats are quarters, so that binary arithmetic is exact."""
    if dice.random() < 0.2:
        return None
    if type == "int":
        if column == "k" and dice.random() < 0.3:
            return dice.choice([2**31 - 1, 2**31, -(2**31), 3_000_000_000, -5_000_000_000])
        return dice.choice([0, 1, 1, 2, 2, 3, 3, 4, 5, 6, 7, 8, -1, -2, 10, 12])
    if type == "dec":
        return dice.choice([0, 1, 2, 3, 4, 6, 8, 10, 12, 14, -2, -6, 20, 41]) / 4
    if type == "float":
        return dice.choice([0, 1, 2, 4, 5, 6, 8, 12, -3, -8, 30]) / 4
    if type == "text":
        return dice.choice(WORDS)
    return (FIRST_DAY + datetime.timedelta(days=dice.randrange(7))).isoformat()


def quoted(type, value, dialect):
    if value is None:
        return "NULL"
    if type == "text":
        return "'" + value.replace("'", "''") + "'"
    return f"'{value}'" if type == "date" else str(value)


def tables(seed):
    dice = random.Random(f"tables {seed}")
    great = dice.randrange(TABLES)
    return [table(dice, n, n == great) for n in range(TABLES)]


def table(dice, at, great):
    name = f"t{at}"
    # More than a thousand now and then: from there on subqueries become joins even where there is an index.
    rows = dice.choice([130, 180, 240, 1100]) if great else dice.choice([0, 1, 4, 6, 9, 15, 20, 25, 30, 40])
    chosen = [(column, type, dice.choice(kinds)) for column, type, kinds in COLUMNS]
    keyed = at > 0
    out = Table(name, [("id", "int")] + [(c, t) for c, t, _ in chosen], ["id"], rows)
    filled = []
    for n in range(rows):
        filled.append([n] + [value(dice, type, column) for column, type, _ in chosen])
    for dialect, script in enumerate(out.scripts):
        key = ["", " PRIMARY KEY", " PRIMARY KEY NONCLUSTERED"][(keyed and 1 + (at % 3 == 2)) if dialect == 0 else int(keyed)]
        columns = ", ".join(f"{c} {kind[dialect]} NULL" for c, _, kind in chosen)
        script.append(f"CREATE TABLE {name} (id {('int', 'int', 'INTEGER')[dialect]} NOT NULL{key}, {columns})")
        types = ["int"] + [t for _, t, _ in chosen]
        lines = ["(" + ", ".join(quoted(t, v, dialect) for t, v in zip(types, row)) + ")" for row in filled]
        for start in range(0, len(lines), 100):
            script.append(f"INSERT INTO {name} VALUES {', '.join(lines[start:start + 100])}")
    # Indexes are no business of the peers.
    names = ["id"] + [c for c, _, _ in chosen]
    if at % 3 == 2 and dice.random() < 0.6:
        keys = dice.sample(names[1:], dice.randrange(1, 3))
        out.scripts[0].insert(1, f"CREATE CLUSTERED INDEX c{at} ON {name} ({', '.join(keys)})")
    for n in range(dice.randrange(0, 4) if at else 0):
        keys = dice.sample(names, dice.randrange(1, 4))
        spread = ", ".join(k + (" DESC" if dice.random() < 0.3 else "") for k in keys)
        held = [c for c in names if c not in keys]
        include = f" INCLUDE ({', '.join(dice.sample(held, dice.randrange(1, 4)))})" if dice.random() < 0.4 else ""
        filtered = (
            dice.choice([" WHERE i IS NOT NULL", " WHERE i > 2", " WHERE s IS NOT NULL AND i IN (1, 2, 3)"]) if dice.random() < 0.2 else ""
        )
        out.scripts[0].append(f"CREATE INDEX i{at}_{n} ON {name} ({spread}){include}{filtered}")
    return out
