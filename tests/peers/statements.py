"""Makes statements of queries: with common tables, recursive ones too."""

from expressions import SMALL
from questions import Maker
from tree import Node, items, lit
from world import Table


class Statements(Maker):
    """What a query begins with: common tables, recursive ones too."""

    def statement(self):
        tables = []
        if self.chance(7):
            tables.append(self.recursive())
        elif self.chance(22):
            for _ in range(self.dice.randrange(1, 3)):
                query, columns, rows = self.described(1, None)
                tables.append(self.common(query, columns, rows))
        if self.chance(14):
            query = self.setop(2, None)
            if self.chance(50):
                places = [Node("key", [Node("place", [], "int", at=n + 1)], down=self.chance(40)) for n in range(len(items(query)))]
                top = {"n": self.dice.randrange(1, 8), "offset": self.dice.randrange(0, 4)} if self.chance(50) else None
                query = Node("ordered", [query, Node("list", places)], top=top)
        else:
            query = self.select(2, None, top=True)
        return Node("with", tables + [query]) if tables else query

    def common(self, query, columns, rows, recursive=False):
        name = self.name("w")
        names = [self.name("e") for _ in columns]
        bounds = {n: b for n, (_, _, b, _) in zip(names, columns)}
        precision = {n: p for n, (_, _, _, p) in zip(names, columns)}
        self.ctes.append(Table(name, [(n, t) for n, (_, t, _, _) in zip(names, columns)], names, rows, bounds, precision))
        return Node("common", [query], name=name, columns=names, recursive=recursive)

    def recursive(self):
        """Rows that follow rows: c0 is an int, c1 the depth, c2 a text."""
        columns = [("c0", "int", SMALL, 10), ("c1", "int", 100, 10), ("c2", "text", 12, 0)]
        column = lambda alias, table, at: Node(
            "col", [], columns[at][1], alias=alias, name=table.columns[at][0], bound=columns[at][2], prec=10
        )
        out = self.common(None, columns, 400, recursive=True)
        (me,) = self.ctes
        self.ctes = []
        small = [t for t in self.tables if 0 < t.rows <= 30 and t.key == ["id"]]
        one, empty = Node("to_int", [lit("int", 1)], "int"), Node("list")
        item = lambda at, v: Node("item", [v], v.type, name=f"c{at}")
        plain = lambda values, source, where: Node(
            "select", [Node("list", [item(n, v) for n, v in enumerate(values)]), source, Node("list", where), empty, empty, empty], rows=400
        )
        r = self.name("a")
        again = Node("table", [], table=me.name, alias=r)
        next_one = Node("add", [column(r, me, 1), lit("int", 1)], "int")
        deep = lambda n: Node("lt", [column(r, me, 1), lit("int", n)], "bool")
        if small and self.chance(70):
            node, scope = self.named(self.dice.choice(small))
            other, more = self.named(self.dice.choice(small))
            text = lambda s: Node("as_text", [self.dice.choice(s.of("text"))], "text", bound=12)
            anchor = plain([Node("to_int", [scope.leaves[0]], "int"), one, text(scope)], node, [self.condition(scope, 1, subs=0)])
            on = Node("eq", [more.leaves[1] if self.chance(60) else more.leaves[0], column(r, me, 0)], "bool")
            joined = Node("join", [again, other, Node("list", [on])], kind="INNER")
            rest = plain([Node("to_int", [more.leaves[0]], "int"), next_one, text(more)], joined, [deep(3)])
        else:
            anchor = plain([one, one, Node("as_text", [lit("text", "a")], "text", bound=12)], Node("nothing"), [])
            grown = Node(
                "as_text", [Node("left", [Node("glue", [column(r, me, 2), lit("text", "b")], "text"), lit("int", 9)], "text")], "text"
            )
            rest = plain(
                [Node("mul", [column(r, me, 0), lit("int", 2)], "int"), next_one, grown], again, [deep(self.dice.randrange(2, 12))]
            )
        self.ctes = [me]
        return out.with_kids([Node("setop", [anchor, rest], kind="UNION ALL")])
