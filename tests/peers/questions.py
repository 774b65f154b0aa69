"""Makes queries whose texts mean the same in all dialects: whatever counts rows (TOP, ROW_NUMBER, frames of rows) has an order that decides."""

from expressions import GREAT, SMALL, Expressions, Scope
from tree import COMPARISONS, SIGNS, Node, labelled, lit


class Maker(Expressions):
    def subquery(self, scope):
        before = self.cost
        self.cost *= max(scope.rows, 1)
        around, scope = scope, scope.seen
        n = self.dice.randrange(10)
        if n < 4:
            out = Node("exists", [self.query(1, scope, linked=True)], "bool", negated=self.chance(45))
        else:
            type = self.type()
            a = self.value(type, around, 1, False, 0)
            rows = self.query(1, scope, [type], linked=self.chance(50))
            if n < 8:
                out = Node("in", [a, rows], "bool", negated=self.chance(45))
            else:
                sign, all = SIGNS[self.dice.choice(COMPARISONS)], self.chance(50)
                if self.chance(85):
                    sign, all = self.dice.choice([("=", False), ("<>", True)])
                out = Node("quantified", [a, rows], "bool", sign=sign, all=all)
        self.cost = before
        return out

    def scalar(self, type, scope):
        """A subquery of one row: an aggregate of all, or the first by an order that decides."""
        before = self.cost
        self.cost *= max(scope.rows, 1)
        scope = scope.seen
        if self.chance(70):
            query = self.select(0, scope, [type], mode="whole", linked=self.chance(70))
        else:
            query = self.select(0, scope, [type], mode="plain", linked=self.chance(70), first=1)
        self.cost = before
        inner = query.kids[0].kids[0].kids[0]
        return Node("scalar", [query], type, bound=inner.info.get("bound", 0), prec=inner.info.get("prec", 10))

    # Sources

    def source(self, depth, outer):
        """What stands in FROM, and its scope."""
        n = self.dice.randrange(100)
        if self.ctes and n < 35:
            return self.named(self.dice.choice(self.ctes))
        if depth > 0 and n < 50:
            query, columns, rows = self.described(depth - 1, None)
            alias = self.name("d")
            node = Node("derived", [query], alias=alias)
            leaves = [Node("col", [], t, alias=alias, name=c, bound=b, prec=p) for c, t, b, p in columns]
            return node, Scope(leaves, leaves, rows)
        if n < 54:
            return self.listed()
        return self.named(self.dice.choice(self.tables))

    def named(self, table):
        alias = self.name("a")
        leaves = [
            Node("col", [], t, alias=alias, name=c, bound=table.bounds.get(c, 0), prec=table.precision.get(c, 10)) for c, t in table.columns
        ]
        keys = [leaf for leaf in leaves if leaf.info["name"] in table.key]
        return Node("table", [], table=table.name, alias=alias), Scope(leaves, keys, table.rows, unique=table.key == ["id"])

    def listed(self):
        """A list of rows: (VALUES …)."""
        alias, types = self.name("v"), [self.type() for _ in range(self.dice.randrange(1, 3))]
        rows = []
        for n in range(self.dice.randrange(1, 4)):
            row = [lit(t, None) if n and self.chance(15) else lit(t, self.literal(t).info["value"]) for t in types]
            rows.append(Node("row", [Node("collate", [k], "text", bound=12) if k.type == "text" else k for k in row]))
        columns = [f"c{n}" for n in range(len(types))]
        node = Node("derived", rows, alias=alias, values=True, columns=columns)
        leaves = [
            Node("col", [], t, alias=alias, name=c, bound=SMALL if t in ("int", "dec") else 12, prec=10) for c, t in zip(columns, types)
        ]
        return node, Scope(leaves, leaves, len(rows))

    def described(self, depth, outer):
        """A query whose columns are told: name, type, bound, precision."""
        query = self.query(depth, outer)
        first = query
        while first.op != "select":
            first = first.kids[0]
        columns, branches = [], selects(query)
        for at, item in enumerate(first.kids[0].kids):
            values = [b.kids[0].kids[at].kids[0] for b in branches]
            columns.append(
                (f"c{at}", item.kids[0].type, max(v.info.get("bound", 0) for v in values), max(v.info.get("prec", 10) for v in values))
            )
        return query, columns, min(sum(b.info["rows"] for b in branches), query.info.get("rows", 10**9))

    def sources(self, depth, outer):
        node, scope = self.source(depth, outer)
        for _ in range(self.dice.choices([0, 1, 2, 3], [45, 35, 15, 5])[0]):
            apply = self.chance(2)
            if apply:
                before = self.cost
                self.cost *= max(scope.rows, 1)
                around = Scope(scope.leaves, scope.keys, scope.rows, outer)
                if not self.affordable(scope):
                    self.cost = before
                    continue
                alias = self.name("d")
                query = self.select(
                    0,
                    around,
                    None,
                    linked=True,
                    mode=self.dice.choice(["plain", "plain", "whole", "grouped"]),
                    first=self.dice.choice([None, 1, 2]),
                )
                self.cost = before
                leaves = [
                    Node(
                        "col",
                        [],
                        i.kids[0].type,
                        alias=alias,
                        name=i.info["name"],
                        bound=i.kids[0].info.get("bound", 0),
                        prec=i.kids[0].info.get("prec", 10),
                    )
                    for i in query.kids[0].kids
                ]
                right, more = Node("derived", [query], alias=alias), Scope(leaves, leaves, query.info["rows"])
                kind = self.dice.choice(["CROSS APPLY", "OUTER APPLY"])
                node = Node("join", [node, right, Node("list")], kind=kind)
            else:
                right, more = self.source(depth - 1, outer)
                if more.rows * scope.rows * self.cost > 250_000:
                    continue
                if self.chance(12):
                    # (b JOIN c ON …): a join on the right side
                    third, last = self.source(0, outer)
                    if more.rows * last.rows * scope.rows * self.cost <= 250_000:
                        right, more = self.joined(right, more, third, last, outer)
                node, scope = self.joined(node, scope, right, more, outer)
                continue
            scope = Scope(scope.leaves + more.leaves, scope.keys + more.keys, scope.rows * max(more.rows, 1), outer)
        if node.op == "join" and node.info["kind"] == "CROSS" and node.kids[0].op != "join" != node.kids[1].op and self.chance(50):
            node.info["comma"] = True
        return node, Scope(scope.leaves, scope.keys, scope.rows, outer, scope.unique)

    def joined(self, node, scope, right, more, outer):
        kind = self.dice.choices(["INNER", "LEFT", "RIGHT", "FULL", "CROSS"], [45, 30, 8, 4, 5])[0]
        both = Scope(
            scope.leaves + more.leaves, scope.keys + more.keys, max(scope.rows, 1) * max(more.rows, 1), outer, scope.unique and more.unique
        )
        on = []
        if kind != "CROSS":
            for _ in range(self.dice.choices([1, 2], [75, 25])[0]):
                type = self.type()
                a, b = scope.of(type), more.of(type)
                if not a or not b:
                    type = "int"
                    a, b = scope.of(type), more.of(type)
                if a and b:
                    equal = self.chance(95 if kind == "FULL" else 85)
                    on.append(Node("eq" if equal else self.dice.choice(COMPARISONS), [self.dice.choice(a), self.dice.choice(b)], "bool"))
            if not on and kind == "FULL":
                kind = "INNER"
            if not on or kind != "FULL" and self.chance(20):
                on.append(self.condition(both, 1, subs=int(self.chance(10))))
        return Node("join", [node, right, Node("list", on)], kind=kind), both

    # Queries

    def query(self, depth, outer, types=None, linked=False):
        if depth > 0 and self.chance(13):
            return self.setop(depth - 1, outer, types)
        return self.select(depth, outer, types, linked)

    def setop(self, depth, outer, types=None):
        types = types or [self.type() for _ in range(self.dice.randrange(1, 4))]
        kind = self.dice.choice(["UNION", "UNION ALL", "EXCEPT", "INTERSECT", "UNION ALL"])
        kids = [
            self.setop(depth - 1, outer, types) if depth > 0 and self.chance(30) else self.select(depth, outer, types, branch=True)
            for _ in range(2)
        ]
        return Node("setop", kids, kind=kind, flat=self.chance(50))

    def select(self, depth, outer, types=None, linked=False, mode=None, first=None, branch=False, top=False):
        source, scope = self.sources(depth, outer)
        subs = 1 if depth > 0 or top else 0
        where = [self.condition(scope, 2, subs=subs) for _ in range(self.dice.choices([0, 1, 2, 3], [25, 45, 22, 8])[0])]
        if linked and outer:
            type = self.type()
            a, b = scope.of(type), outer.of(type)
            if a and b:
                where.append(
                    Node(self.dice.choice(["eq", "eq", "eq", "eq", "lt", "ne"]), [self.dice.choice(a), self.dice.choice(b)], "bool")
                )
        mode = mode or self.dice.choices(["plain", "grouped", "whole"], [62, 28, 10])[0]
        group, having, inner = Node("list"), [], scope
        rows = scope.rows
        if mode != "plain":
            keys = self.group_keys(scope) if mode == "grouped" else []
            how = None
            if len(keys) > 1 and top and self.chance(4):
                how = self.dice.choice(["ROLLUP", "ROLLUP", "CUBE", "GROUPING SETS"])
            group = Node("list", keys, how=how)
            made = [self.aggregate(scope, t) for t in (types or [self.type() for _ in range(2)]) + ["int"]]
            if how:
                made += [Node("agg", [k], "int", name="GROUPING", bound=1, prec=10) for k in keys]
            inner = Scope(keys + made, keys, 1 if not keys else rows, outer, unique=how is None)
            inner.seen = Scope([k for k in keys if k.op == "col" and not how], [], inner.rows, outer)
            rows = inner.rows
            having = [self.condition(inner, 1, subs=subs) for _ in range(int(self.chance(25)))]
        windows = []
        if mode != "whole" and not linked and not first and self.chance(22 if top else 10):
            # Rows that are the same may be numbered in any order, and twice in different ones.
            windows = [self.window(inner) for _ in range(self.dice.randrange(1, 3) if inner.unique else 1)]
        shown = Scope(inner.leaves + windows * 3, inner.keys, inner.rows, outer)
        shown.seen = inner.seen if inner.seen is not inner else shown
        wanted = types or [self.type() for _ in range(self.dice.choices([1, 2, 3, 4], [20, 35, 30, 15])[0])]
        items = []
        for at, type in enumerate(wanted):
            if windows and at == 0 and not types:
                v = windows[0]
            else:
                v = self.value(type, shown, self.dice.choice([0, 0, 1, 2]), subs=0 if windows else subs)
            if mode == "whole" and at == 0 and not any(n.op == "agg" for n in v.walk()):
                v = next(m for m in made if not types or m.type == type)
            items.append(Node("item", [v], v.type, name=f"c{at}", assigned=self.chance(8)))
        if top and not types and self.chance(8) and mode != "plain":
            self.approximate(items, scope)
        approximate = any(i.kids[0].type == "approx" for i in items)
        distinct = mode != "whole" and not approximate and not first and self.chance(10)
        info = {"distinct": distinct, "rows": rows}
        order = []
        n = first or (self.dice.randrange(1, 8) if not branch and self.chance(12 if top else 6) else None)
        n = None if windows and not distinct and not inner.unique else n
        if n and mode != "whole" and not approximate:
            info["top"], order = self.limited(n, items, inner, distinct, top)
            info["rows"] = min(rows, n)
        elif top and not approximate and self.chance(25):
            order = [Node("key", [Node("place", [], "int", at=at + 1)], down=self.chance(40)) for at in range(len(items))]
        return Node("select", [Node("list", items), source, Node("list", where), group, Node("list", having), Node("list", order)], **info)

    def limited(self, n, items, scope, distinct, top):
        """TOP or OFFSET with an order that decides."""
        how = {"n": n}
        places = [Node("key", [Node("place", [], "int", at=at + 1)], down=self.chance(40)) for at in range(len(items))]
        if distinct:
            self.dice.shuffle(places)
            order = places
        else:
            # SQLite has no names of queries around it here.
            by = [self.value(self.type(), scope, self.dice.choice([0, 0, 1]), own=True, subs=0) for _ in range(self.dice.randrange(1, 3))]
            if top and self.chance(4):
                # All that are equal to the last: any order decides.
                how["ties"] = True
                by = [b for b in by if decides(b)][:1] or scope.keys[:1]
                return how, [Node("key", [b], down=self.chance(40)) for b in by] or places
            by = [b for b in by if decides(b)] + scope.keys
            order = [Node("key", [b], down=self.chance(40)) for b in by] or places
        if self.chance(30):
            how["offset"] = self.dice.randrange(0, 5)
        elif self.chance(20):
            how["fetch"] = True
        return how, order

    def group_keys(self, scope):
        keys = []
        for _ in range(self.dice.choices([1, 2, 3], [55, 35, 10])[0]):
            type = self.type()
            key = self.value(type, scope, 1, own=True, subs=0) if self.chance(25) else self.leaf(type, scope, own=True)
            own = [n for n in key.walk() if n.op == "col"]
            if not own or any(n.op == "lit" and n.info.get("param") for n in key.walk()) or type == "text" and not labelled(key):
                key = self.dice.choice(scope.leaves)
            keys.append(key)
        return keys

    def aggregate(self, scope, type):
        """An aggregate of a type, over values of this query alone."""
        name = self.dice.choice(
            {
                "int": ["COUNT*", "COUNT", "SUM", "AVG", "MIN", "MAX"],
                "dec": ["SUM", "MIN", "MAX"],
                "text": [*["MIN", "MAX"] * 15, "STRING_AGG"],
                "date": ["MIN", "MAX"],
                "float": ["MIN", "MAX"],
            }[type]
        )
        if name == "COUNT*":
            return Node("agg", [], "int", name=name, bound=max(scope.rows, 1), prec=10)
        of = self.type() if name == "COUNT" else type
        arg = self.value(of, scope, self.dice.choice([0, 0, 1]), own=True, subs=0)
        if not any(n.op == "col" for n in arg.walk()) or of == "text" and not labelled(arg):
            near = scope.of(of)
            arg = self.dice.choice(near) if near else Node("collate", [self.literal(of)], of, bound=SMALL, prec=10)
        distinct = name in ("COUNT", "SUM", "AVG") and self.chance(25)
        bound, prec = arg.info.get("bound", 0), arg.info.get("prec", 10)
        if name == "COUNT":
            bound, prec = max(scope.rows, 1), 10
        if name == "STRING_AGG" and (arg.op == "collate" or scope.ordered):
            name = "MAX"
        if name == "STRING_AGG":
            scope.ordered = True
            keys = [Node("key", [k], down=self.chance(30)) for k in [arg] + scope.keys]
            return Node("agg", [arg] + keys, "text", name=name, bound=10_000)
        if name == "SUM":
            bound, prec = bound * max(scope.rows, 1), 38 if type == "dec" else 10
        if name in ("SUM", "AVG") and type == "int" and bound > GREAT - 1:
            arg, prec = Node("to_bigint", [arg], "int", bound=bound, prec=19), 19
            if bound > 2**52:
                name = "MAX"
        elif name == "AVG" and bound * max(scope.rows, 1) > GREAT:
            arg, prec = Node("to_bigint", [arg], "int", bound=bound, prec=19), 19
            if bound > 2**40:
                name = "MIN"
        if bound > 2**40 and name in ("AVG",):
            name = "MIN"
        if name not in ("COUNT", "SUM", "AVG"):
            distinct = False
        return Node("agg", [arg], type, name=name, distinct=distinct, bound=bound, prec=prec)

    def approximate(self, items, scope):
        near = scope.of("dec") + scope.of("float")
        if near:
            arg = self.dice.choice(near)
            name = self.dice.choice(["AVG", "AVG", "STDEV", "VARP"])
            items.append(Node("item", [Node("agg", [arg], "approx", name=name)], "approx", name=f"c{len(items)}"))

    def window(self, scope):
        """A function over a window of the rows of a scope."""
        dice = self.dice
        key = lambda v: Node("key", [v], down=self.chance(35))
        usable = [n for n in scope.leaves if n.type != "text" or labelled(n)]
        partition = [dice.choice(usable)] if self.chance(50) else []
        some = [key(dice.choice(usable)) for _ in range(dice.randrange(0, 2))]
        decides_all = some + [key(k) for k in scope.keys] or [key(dice.choice(usable))]
        bound = max(scope.rows, 1)
        kind = dice.choice(["number", "rank", "ntile", "lag", "ends", "whole", "running", "rows", "rows", "count"])
        if kind == "number":
            return Node("window", [Node("list", partition), Node("list", decides_all)], "int", name="ROW_NUMBER", bound=bound, prec=19)
        if kind == "rank":
            name = dice.choice(["RANK", "DENSE_RANK"])
            keys = some or [key(dice.choice(usable))]
            return self.called(name, [], partition, keys, bound)
        if kind == "ntile":
            return self.called("NTILE", [lit("int", dice.randrange(1, 5))], partition, decides_all, bound)
        type = dice.choice(["int", "int", "dec", "text", "date"])
        values = [n for n in scope.of(type) if type != "text" or labelled(n)] or scope.of("int") or scope.leaves
        arg = dice.choice(values)
        shape = {"bound": arg.info.get("bound", 0), "prec": arg.info.get("prec", 10)}
        if kind == "lag":
            args = [arg] + ([lit("int", dice.randrange(0, 4))] if self.chance(60) else [])
            return Node(
                "window", args + [Node("list", partition), Node("list", decides_all)], arg.type, name=dice.choice(["LAG", "LEAD"]), **shape
            )
        frames = [
            "UNBOUNDED PRECEDING AND CURRENT ROW",
            "2 PRECEDING AND CURRENT ROW",
            "1 PRECEDING AND 1 FOLLOWING",
            "CURRENT ROW AND UNBOUNDED FOLLOWING",
            "2 PRECEDING AND 1 PRECEDING",
            "1 FOLLOWING AND 3 FOLLOWING",
            "UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING",
            "5 PRECEDING AND 2 FOLLOWING",
        ]
        frame = "ROWS BETWEEN " + dice.choice(frames)
        if kind == "ends":
            return Node(
                "window",
                [arg, Node("list", partition), Node("list", decides_all)],
                arg.type,
                name=dice.choice(["FIRST_VALUE", "LAST_VALUE"]),
                frame=frame if self.chance(60) else None,
                **shape,
            )
        name = dice.choice(["SUM", "MIN", "MAX", "COUNT", "COUNT*"])
        if name == "SUM" and (arg.type not in ("int", "dec") or shape["bound"] * bound > GREAT):
            name = "MAX"
        type = "int" if name.startswith("COUNT") else arg.type
        if name == "SUM":
            shape = {"bound": shape["bound"] * bound, "prec": 38}
        elif name.startswith("COUNT"):
            shape = {"bound": bound, "prec": 10}
        args = [] if name == "COUNT*" else [arg]
        order, info = [], {}
        if kind == "running":
            order = some or [key(dice.choice(usable))]
            if self.chance(30):
                info["frame"] = "RANGE BETWEEN " + dice.choice(
                    ["UNBOUNDED PRECEDING AND CURRENT ROW", "CURRENT ROW AND UNBOUNDED FOLLOWING"]
                )
        elif kind == "rows":
            order, info = decides_all, {"frame": frame}
        return Node("window", args + [Node("list", partition), Node("list", order)], type, name=name, **shape, **info)

    def called(self, name, args, partition, keys, bound):
        return Node("window", args + [Node("list", partition), Node("list", keys)], "int", name=name, bound=bound, prec=19)


def decides(value):
    """It may stand in ORDER BY: it reads a column, and its text is compared by code units."""
    return (
        any(n.op in ("col", "agg") for n in value.walk())
        and (value.type != "text" or labelled(value))
        and value.type != "approx"
        and value.op not in ("lit", "place")
    )


def selects(query):
    """The plain queries of a set operation."""
    if query.op == "select":
        return [query]
    return [s for k in query.kids if k.op in ("select", "setop", "ordered") for s in selects(k)]
