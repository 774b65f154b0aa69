"""Makes statements that change a table."""

from questions import selects
from tree import Node, lit
from world import BOUNDS


def fitting(maker, type, column, value):
    """The value, made so that the column takes it."""
    bound = value.info.get("bound", 0)
    if type == "text" and bound > BOUNDS[column]:
        return Node("left", [value, lit("int", BOUNDS[column])], "text", bound=BOUNDS[column])
    if type in ("int", "dec") and bound > BOUNDS[column]:
        return maker.literal(type)
    return value


def assigned(maker, scope, table, subs=1):
    """What SET says: some columns and their new values."""
    out = []
    for column, type in maker.dice.sample(table.columns[1:], maker.dice.randrange(1, 4)):
        value = fitting(maker, type, column, maker.value(type, scope, 2, subs=subs))
        out.append(Node("set", [value], type, name=column))
    return Node("list", out)


def shown(maker, table):
    """Columns that the statement sends of the rows that it changes."""
    return maker.dice.sample([c for c, _ in table.columns], maker.dice.randrange(1, 4)) if maker.chance(35) else None


def change(maker):
    """A statement, and the table that it changes."""
    table = maker.dice.choice(maker.tables)
    node, scope = maker.named(table)
    alias = node.info["alias"]
    kind = maker.dice.choices(["update", "delete", "insert", "merge"], [46, 25, 26, 3])[0]
    info = {"table": table.name, "alias": alias, "shown": shown(maker, table)}
    where = Node("list", [maker.condition(scope, 2) for _ in range(maker.dice.choices([0, 1, 2], [15, 60, 25])[0])])
    if kind == "delete":
        return Node("delete", [where], **info), table
    if kind == "update":
        source, around = Node("list"), scope
        if maker.chance(35):
            # One row at most for each that is changed: its number is asked for.
            other, more = maker.named(maker.dice.choice(maker.tables))
            key, column = more.keys[0], maker.dice.choice(scope.of("int"))
            source = Node("list", [other, Node("eq", [key, column], "bool")])
            around = type(scope)(scope.leaves + more.leaves, scope.keys, scope.rows)
            where = Node("list", [maker.condition(around, 2) for _ in range(maker.dice.randrange(0, 3))])
        return Node("update", [assigned(maker, around, table), source, where], **info), table
    columns = [table.columns[0]] + maker.dice.sample(table.columns[1:], maker.dice.randrange(1, 5))
    names = [c for c, _ in columns]
    if kind == "insert":
        types = [t for _, t in columns[1:]]
        query = maker.query(1, None, types)
        d = maker.name("d")
        first = query
        while first.op != "select":
            first = first.kids[0]
        branches = selects(query)
        leaves = []
        for at, t in enumerate(types):
            values = [b.kids[0].kids[at].kids[0] for b in branches]
            leaves.append(Node("col", [], t, alias=d, name=f"c{at}", bound=max(v.info.get("bound", 0) for v in values), prec=19))
        keys = Node("list", [Node("key", [leaf], down=False) for leaf in leaves])
        number = Node("window", [Node("list"), keys], "int", name="ROW_NUMBER", bound=1)
        items = [Node("item", [Node("add", [lit("int", 1000), number], "int")], "int", name="id")]
        items += [
            Node("item", [fitting(maker, t, c, leaf)], t, name=f"c{at}") for at, ((c, t), leaf) in enumerate(zip(columns[1:], leaves))
        ]
        rows = Node(
            "select",
            [Node("list", items), Node("derived", [query], alias=d), Node("list"), Node("list"), Node("list"), Node("list")],
            rows=1,
        )
        return Node("insert", [rows], **{**info, "columns": names}), table
    other, more = maker.named(maker.dice.choice(maker.tables))
    both = type(scope)(scope.leaves + more.leaves, scope.keys, scope.rows)
    on = Node("eq", [more.keys[0], maker.dice.choice(scope.of("int"))], "bool")
    matched = Node("list", [maker.condition(both, 1, subs=0) for _ in range(int(maker.chance(50)))])
    sets = assigned(maker, both, table, subs=0) if maker.chance(75) else Node("list")
    values = [Node("add", [lit("int", 1000), more.keys[0]], "int")]
    values += [fitting(maker, t, c, maker.value(t, more, 1, subs=0)) for c, t in columns[1:]]
    return Node("merge", [other, on, matched, sets, Node("list", values)], **{**info, "columns": names, "shown": None}), table
