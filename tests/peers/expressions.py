"""Makes values and conditions: trees whose texts mean the same in all dialects.

Numbers stay small enough for their types and exact in binary; texts have no blanks and compare by their code units.
"""

from tree import Node, labelled, lit
from world import value

SMALL = 30_000
GREAT = 2**31 - 1


class Scope:
    """What an expression may name: its leaves, and those of the queries around it."""

    def __init__(self, leaves, keys, rows, outer=None, unique=False):
        self.leaves, self.keys, self.rows, self.outer = leaves, keys, rows, outer
        # No two rows have the same keys.
        self.unique = unique
        # An aggregate has an order: there cannot be another one with another order.
        self.ordered = False
        # What a subquery sees of a query that is grouped.
        self.seen = self

    def of(self, type):
        return [n for n in self.leaves if n.type == type]


class Expressions:
    """Makes what a query is made of; `subquery` and `scalar` are the queries'."""

    def __init__(self, dice, tables):
        self.dice, self.tables = dice, tables
        self.names = 0
        self.ctes = []
        self.params = dice.random() < 0.25
        self.cost = 1

    def chance(self, percent):
        return self.dice.random() * 100 < percent

    def name(self, letter):
        self.names += 1
        return f"{letter}{self.names}"

    # Values

    def type(self):
        return self.dice.choices(["int", "text", "date", "dec", "float"], [10, 6, 4, 4, 1])[0]

    def literal(self, type, bare=False):
        v = None
        while v is None:
            v = value(self.dice, type, "")
        info = {"param": True} if self.params and self.chance(40) else {}
        if type == "text" and self.chance(25):
            info["wide"] = True
        return lit(type, v, bare=bare, **info)

    def leaf(self, type, scope, own=False):
        """A column or the like; of a query around now and then; else a literal."""
        near, around = scope.of(type), scope.outer
        if around and not own and (not near or self.chance(30)):
            far = around.of(type) or (around.outer.of(type) if around.outer else [])
            near = far or near
        if near and not self.chance(8):
            return self.dice.choice(near)
        if self.chance(4):
            return lit(type, None)
        return self.literal(type)

    def value(self, type, scope, depth=2, own=False, subs=1):
        if depth <= 0 or self.chance(45):
            return self.leaf(type, scope, own)
        sub = lambda t=type: self.value(t, scope, depth - 1, own, subs)
        n = self.dice.randrange(100)
        if n < 12:
            return self.either("coalesce", sub(), sub(), type)
        if n < 18:
            kids = [self.condition(scope, depth - 1, own, 0), sub(), sub()]
            return self.merged("iif" if self.chance(30) else "case", kids, type, kids[1:])
        if n < 23:
            t = self.type()
            kids = [self.value(t, scope, depth - 1, own, 0), self.literal(t), sub(), sub()]
            return self.merged("switch", kids, type, kids[2:])
        if n < 27:
            return self.either("nullif", sub(), self.literal(type), type)
        if n < 30:
            return self.either(self.dice.choice(["greatest", "least"]), sub(), sub(), type)
        if n < 36 and subs and not own and self.affordable(scope):
            return self.scalar(type, scope)
        return getattr(self, f"{type}_value")(sub, scope, depth, own)

    def merged(self, op, kids, type, of, **info):
        bound = max(k.info.get("bound", 0) for k in of)
        prec = max(k.info.get("prec", 1) for k in of)
        return Node(op, kids, type, bound=bound, prec=prec, **info)

    def either(self, op, a, b, type):
        if op == "coalesce" and type in ("int", "date") and a.op == "col" and b.op == "lit" and self.chance(40):
            op = "isnull"
        if op == "nullif":
            return Node(op, [a, b], type, bound=a.info.get("bound", 0), prec=a.info.get("prec", 1))
        return self.merged(op, [a, b], type, [a, b])

    def int_value(self, sub, scope, depth, own):
        op = self.dice.choice(
            ["add", "sub", "mul", "neg", "abs", "div", "mod", "sign", "len", "find", "year", "month", "day", "days", "whole"]
        )
        if op in ("len", "find"):
            text = sub("text")
            kids = [text] if op == "len" else [text, lit("text", self.dice.choice(["a", "b", "A", "ab", "_"]))]
            return Node(op, kids, "int", bound=40, prec=10)
        if op in ("year", "month", "day"):
            return Node(op, [sub("date")], "int", bound=3000, prec=10)
        if op == "days":
            return Node(op, [sub("date"), sub("date")], "int", bound=3000, prec=10)
        if op == "whole":
            a = sub("dec")
            return Node(op, [a], "int", bound=a.info["bound"], prec=10) if a.info["bound"] < GREAT else lit("int", 7)
        a = sub()
        if op in ("neg", "abs"):
            return Node(op, [a], "int", bound=a.info["bound"], prec=a.info["prec"])
        if op == "sign":
            return Node(op, [a], "int", bound=1, prec=10)
        b = sub()
        bound = {
            "add": a.info["bound"] + b.info["bound"],
            "sub": a.info["bound"] + b.info["bound"],
            "mul": a.info["bound"] * b.info["bound"],
            "div": a.info["bound"],
            "mod": a.info["bound"],
        }[op]
        if bound > SMALL:
            return a
        return Node(op, [a, b], "int", bound=bound, prec=10)

    def dec_value(self, sub, scope, depth, own):
        op = self.dice.choice(["add", "sub", "mul", "neg", "abs", "floor", "ceiling", "round", "to_dec"])
        if op == "to_dec":
            a = sub("int")
            return Node(op, [a], "dec", bound=a.info["bound"], prec=9) if a.info["bound"] <= SMALL else lit("dec", 2.5)
        a = sub()
        bound, prec = a.info["bound"], a.info["prec"]
        if op == "round":
            # The result has the digits of what is rounded, so these are enough.
            return Node(op, [Node("to_dec", [a], "dec", prec=9)], "dec", bound=bound + 1, prec=9) if bound <= SMALL else a
        if op in ("floor", "ceiling"):
            # Without digits behind the point its sum would leave none to what it is put together with.
            return Node("to_dec", [Node(op, [a], "dec")], "dec", bound=bound + 1, prec=9) if bound <= SMALL else a
        if op in ("neg", "abs"):
            return Node(op, [a], "dec", bound=bound + 1, prec=prec + 1) if prec < 36 else a
        b = sub("int") if op == "mul" else sub()
        bound = bound * b.info["bound"] if op == "mul" else bound + b.info["bound"]
        prec = prec + b.info["prec"] + 1 if op == "mul" else max(prec, b.info["prec"] + 2) + 1
        if bound > SMALL or prec > 36:
            return a
        return Node(op, [a, b], "dec", bound=bound, prec=prec)

    def float_value(self, sub, scope, depth, own):
        op = self.dice.choice(["fdiv", "add", "sub", "to_float", "neg"])
        if op == "to_float":
            return Node(op, [sub(self.dice.choice(["int", "dec"]))], "float")
        return Node(op, [sub()] if op == "neg" else [sub(), sub()], "float")

    def text_value(self, sub, scope, depth, own):
        op = self.dice.choice(
            [
                "upper",
                "lower",
                "substring",
                "left",
                "right",
                "replace",
                "reverse",
                "repeat",
                "translate",
                "stuff",
                "glue",
                "glue",
                "concat",
                "concat",
                "to_text",
                "trim",
            ]
        )
        small = lambda low: lit("int", self.dice.randrange(low, 5))
        if op == "to_text":
            a = sub("int")
            return Node(op, [a], "text", bound=12) if a.info["bound"] < GREAT else lit("text", "a")
        a = sub()
        if not labelled(a):
            a = Node("collate", [a], "text", bound=a.info["bound"])
        bound = a.info["bound"]
        if op in ("upper", "lower", "reverse", "trim"):
            return Node(op, [a], "text", bound=bound)
        if op == "substring":
            return Node(op, [a, small(1), small(0)], "text", bound=4)
        if op in ("left", "right"):
            return Node(op, [a, small(1)], "text", bound=4)
        if op == "replace":
            return (
                Node(
                    op,
                    [a, lit("text", self.dice.choice(["a", "A", "ab", "b"])), lit("text", self.dice.choice(["", "x", "yz", "a"]))],
                    "text",
                    bound=bound * 2,
                )
                if bound < 30
                else a
            )
        if op == "repeat":
            return Node(op, [a, small(0)], "text", bound=bound * 5) if bound < 30 else a
        if op == "translate":
            return Node(op, [a, lit("text", "abA"), lit("text", self.dice.choice(["xyz", "bca"]))], "text", bound=bound)
        if op == "stuff":
            # Beyond the end STUFF is NULL and OVERLAY is not.
            return Node(
                op,
                [
                    Node("glue", [a, lit("text", "xyz")], "text"),
                    lit("int", self.dice.randrange(1, 4)),
                    small(0),
                    lit("text", self.dice.choice(["", "Q", "ab"])),
                ],
                "text",
                bound=bound + 5,
            )
        b = sub()
        return Node(op, [a, b], "text", bound=bound + b.info["bound"]) if bound + b.info["bound"] < 60 else a

    def date_value(self, sub, scope, depth, own):
        op = self.dice.choice(["later", "later", "month_end", "months"])
        if op == "later":
            b = self.value("int", scope, 0, own)
            return Node(op, [sub(), b if b.info["bound"] <= SMALL else lit("int", 3)], "date")
        if op == "months":
            return Node(op, [sub(), lit("int", self.dice.randrange(-14, 15))], "date")
        return Node(op, [sub()], "date")

    # Conditions

    def condition(self, scope, depth=2, own=False, subs=1):
        sub = lambda: self.condition(scope, depth - 1, own, subs)
        n = self.dice.randrange(100)
        if depth > 0 and n < 10:
            return Node("and", [sub(), sub()], "bool")
        if depth > 0 and n < 25:
            return Node("or", [sub(), sub()], "bool")
        if depth > 0 and n < 33:
            return Node("not", [sub()], "bool")
        if n < 52 and subs and not own and self.affordable(scope):
            return self.subquery(scope)
        type = self.type()
        a = self.value(type, scope, depth - 1, own, 0)
        if a.op == "lit":
            a = self.leaf(type, scope, own)
        other = lambda: self.literal(type, bare=a.op == "col") if self.chance(55) else self.value(type, scope, depth - 1, own, 0)
        n = self.dice.randrange(100)
        if n < 8:
            return Node(self.dice.choice(["isnull?", "notnull?"]), [a], "bool")
        if n < 16:
            return Node("between", [a, other(), other()], "bool")
        if n < 30:
            members = [other() for _ in range(self.dice.randrange(1, 5))]
            if self.chance(12):
                members.append(lit(type, None, bare=True))
            return Node("inlist", [a] + members, "bool", negated=self.chance(25))
        if n < 38 and type == "text":
            pattern = lit("text", self.dice.choice(["a%", "%b", "_", "a_", "%a%", "ab", "%", "A%", "_b%", ""]))
            if self.chance(15):
                return Node("escape", [a, lit("text", self.dice.choice(["%!_%", "!%a", "a!_%", "_!_y", "!!"]))], "bool")
            return Node(self.dice.choice(["like", "like", "notlike"]), [a, pattern], "bool")
        if n < 43:
            return Node(self.dice.choice(["distinct", "notdistinct"]), [a, other()], "bool")
        op = self.dice.choice(["eq", "eq", "eq", "ne", "lt", "le", "gt", "ge"])
        return Node(op, [a, other()], "bool")

    def affordable(self, scope):
        """Subqueries run for every row around them, so there are not too many rows."""
        return self.cost * max(scope.rows, 1) < 60_000
