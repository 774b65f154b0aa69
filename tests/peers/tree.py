"""A statement as a tree, and its text in each dialect.

A node has an operation, what it stands over (`kids`) and, where it is a value, a type: int, dec, float, text, date, bool (a condition) or
approx (a value that is compared with a tolerance and used for nothing else). `Printer` makes the text; what a dialect has no
words for raises `Unsupported` with the reason, which is counted.
"""

BINARY = "Latin1_General_BIN2"
TSQL, POSTGRES, SQLITE = range(3)
VALUES = ("int", "dec", "float", "text", "date", "approx")


class Unsupported(Exception):
    """A dialect has no words for something; the text is the reason."""


class Node:
    __slots__ = ("op", "kids", "type", "info")

    def __init__(self, op, kids=(), type=None, **info):
        self.op, self.kids, self.type, self.info = op, list(kids), type, info

    def with_kids(self, kids):
        return Node(self.op, kids, self.type, **self.info)

    def walk(self):
        yield self
        for kid in self.kids:
            yield from kid.walk()


def lit(type, value, **info):
    if type == "int" and value is not None:
        info = {"bound": abs(value), "prec": max(len(str(abs(value))), 1), **info}
    elif type == "dec" and value is not None:
        info = {"bound": abs(value) + 1, "prec": 5, **info}
    elif type == "text":
        info = {"bound": len(value or ""), **info}
    return Node("lit", [], type, value=value, **{"bound": 0, "prec": 1, **info})


def labelled(node):
    """The collation of a text is that of a column, or said; else T-SQL compares by the database's."""
    if node.op in ("col", "collate", "scalar") or node.op in ("agg", "window") and node.info["name"] in ("MIN", "MAX"):
        return True
    if node.op in ("lit", "to_text"):
        return False
    return any(labelled(k) for k in node.kids if k.type == "text")


# The words of functions and operators: T-SQL, PostgreSQL, SQLite. None: that dialect has nothing that means the same.
WORDS = {
    "add": ("({} + {})",),
    "sub": ("({} - {})",),
    "mul": ("({} * {})",),
    "neg": ("(- {})",),
    "abs": ("ABS({})",),
    "div": ("({} / NULLIF({}, 0))",),
    "mod": ("({} %% NULLIF({}, 0))".replace("%%", "%"),),
    "sign": ("SIGN({})", "SIGN({})::int", "SIGN({})"),
    "len": ("LEN({})", "LENGTH({})", "LENGTH({})"),
    "find": ("CHARINDEX({1}, {0})", "STRPOS({0}, {1})", "INSTR({0}, {1})"),
    "year": ("YEAR({})", "EXTRACT(YEAR FROM {})::int", "CAST(STRFTIME('%Y', {}) AS INTEGER)"),
    "month": ("MONTH({})", "EXTRACT(MONTH FROM {})::int", "CAST(STRFTIME('%m', {}) AS INTEGER)"),
    "day": ("DAY({})", "EXTRACT(DAY FROM {})::int", "CAST(STRFTIME('%d', {}) AS INTEGER)"),
    "days": ("DATEDIFF(day, {}, {})", "({1} - {0})", "CAST(JULIANDAY({1}) - JULIANDAY({0}) AS INTEGER)"),
    "later": ("DATEADD(day, {1}, {0})", "({0} + CAST({1} AS int))", "DATE({0}, CAST({1} AS TEXT) || ' days')"),
    "months": ("DATEADD(month, {1}, {0})", "CAST({0} + {1} * INTERVAL '1 month' AS date)", "MONTHS({}, {})"),
    "month_end": (
        "EOMONTH({})",
        "CAST(DATE_TRUNC('month', {}) + INTERVAL '1 month - 1 day' AS date)",
        "DATE({}, 'start of month', '+1 month', '-1 day')",
    ),
    "whole": ("CAST({} AS int)", "CAST(TRUNC({}) AS int)", "CAST({} AS INTEGER)"),
    "to_dec": ("CAST({} AS decimal(9, 2))", "CAST({} AS numeric(9, 2))", "{}"),
    "to_int": ("CAST({} AS int)", "CAST({} AS int)", "CAST({} AS INTEGER)"),
    "to_bigint": ("CAST({} AS bigint)", "CAST({} AS bigint)", "{}"),
    "to_float": ("CAST({} AS float)", "CAST({} AS float8)", "CAST({} AS REAL)"),
    "to_text": ("CAST({} AS varchar(12))", "CAST({} AS varchar(12))", "CAST({} AS TEXT)"),
    "as_text": ("CAST({} AS varchar(12))", "CAST({} AS varchar(12))", "SUBSTR({}, 1, 12)"),
    "floor": ("FLOOR({})", "FLOOR({})", "FLOOR({})"),
    "ceiling": ("CEILING({})", "CEIL({})", "CEIL({})"),
    "round": ("ROUND({}, 0)",),
    "fdiv": ("({} / NULLIF({}, 0))",),
    "upper": ("UPPER({})",),
    "lower": ("LOWER({})",),
    "trim": ("LTRIM(RTRIM({}))",),
    "substring": ("SUBSTRING({}, {}, {})", "SUBSTR({}, {}, {})", "SUBSTR({}, {}, {})"),
    "left": ("LEFT({}, {})", "LEFT({}, {})", "SUBSTR({0}, 1, {1})"),
    "right": ("RIGHT({}, {})", "RIGHT({}, {})", "SUBSTR({0}, -{1})"),
    "replace": ("REPLACE({}, {}, {})",),
    "reverse": ("REVERSE({})",),
    "repeat": ("REPLICATE({}, {})", "REPEAT({}, {})", "REPEAT({}, {})"),
    "translate": ("TRANSLATE({}, {}, {})", "TRANSLATE({}, {}, {})", "TRANSLATE({}, {}, {})"),
    "stuff": ("STUFF({0}, {1}, {2}, {3})", "OVERLAY({0} PLACING {3} FROM {1} FOR {2})", "OVERLAY({}, {}, {}, {})"),
    "glue": ("({} + {})", "({} || {})", "({} || {})"),
    "concat": ("CONCAT({}, {})", "CONCAT({}, {})", "(COALESCE({}, '') || COALESCE({}, ''))"),
    "nullif": ("NULLIF({}, {})",),
    "coalesce": ("COALESCE({}, {})",),
    "isnull": ("ISNULL({}, {})", "COALESCE({}, {})", "COALESCE({}, {})"),
    "greatest": ("GREATEST({}, {})", "GREATEST({}, {})", "COALESCE(MAX({0}, {1}), {0}, {1})"),
    "least": ("LEAST({}, {})", "LEAST({}, {})", "COALESCE(MIN({0}, {1}), {0}, {1})"),
    "iif": ("IIF({}, {}, {})", "CASE WHEN {} THEN {} ELSE {} END", "IIF({}, {}, {})"),
    "and": ("({} AND {})",),
    "or": ("({} OR {})",),
    "not": ("(NOT {})",),
    "isnull?": ("({} IS NULL)",),
    "notnull?": ("({} IS NOT NULL)",),
    "between": ("({} BETWEEN {} AND {})",),
    "escape": ("({} LIKE {} ESCAPE '!')",),
    "like": ("({} LIKE {})",),
    "notlike": ("({} NOT LIKE {})",),
    "distinct": ("({} IS DISTINCT FROM {})", "({} IS DISTINCT FROM {})", "({} IS NOT {})"),
    "notdistinct": ("({} IS NOT DISTINCT FROM {})", "({} IS NOT DISTINCT FROM {})", "({} IS {})"),
    "true": ("(1 = 1)",),
}
for sign, name in (("=", "eq"), ("<>", "ne"), ("<", "lt"), ("<=", "le"), (">", "gt"), (">=", "ge")):
    WORDS[name] = (f"({{}} {sign} {{}})",)
COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")
SIGNS = {name: WORDS[name][0][4:-4].strip() for name in COMPARISONS}
# Operations that compare texts: one of them has to have a label.
COMPARING = (
    *COMPARISONS,
    "find",
    "replace",
    "translate",
    "nullif",
    "greatest",
    "least",
    "between",
    "like",
    "notlike",
    "escape",
    "distinct",
    "notdistinct",
    "inlist",
    "switch",
    "in",
    "quantified",
)
NAMES = ("SQL Server", "PostgreSQL", "SQLite")


class Printer:
    def __init__(self, dialect):
        self.dialect = dialect
        self.declared = []

    def text(self, node):
        words = WORDS.get(node.op)
        if words is None:
            return getattr(self, node.op)(node)
        word = words[self.dialect if len(words) > 1 else 0]
        if word.startswith("!"):
            raise Unsupported(f"{NAMES[self.dialect]} {word[1:]}")
        return word.format(*self.operands(node))

    def operands(self, node):
        """The operands' texts; the first says the collation where none does and texts are compared."""
        out = [self.text(k) for k in node.kids]
        texts = [n for n, k in enumerate(node.kids) if k.type == "text"]
        if self.dialect == TSQL and node.op in COMPARING and texts and not any(labelled(node.kids[n]) for n in texts):
            out[texts[0]] += f" COLLATE {BINARY}"
        return out

    # Values

    def col(self, node):
        return f"{node.info['alias']}.{node.info['name']}"

    def collate(self, node):
        text = self.text(node.kids[0])
        return f"{text} COLLATE {BINARY}" if self.dialect == TSQL and node.type == "text" else text

    def lit(self, node):
        value, type = node.info["value"], node.type
        if value is None:
            if node.info.get("bare"):
                return "NULL"
            names = {
                "int": ("int", "int", "INTEGER"),
                "dec": ("decimal(9, 2)", "numeric(9, 2)", "NUMERIC"),
                "date": ("date", "date", "TEXT"),
                "text": ("varchar(12)", "varchar(12)", "TEXT"),
                "float": ("float", "float8", "REAL"),
            }
            return f"CAST(NULL AS {names[type][self.dialect]})"
        if self.dialect == TSQL and node.info.get("param"):
            of = {"int": "int", "dec": "decimal(9, 2)", "text": "varchar(12)", "date": "date", "float": "float"}[type]
            if type == "int" and abs(value) >= 2**31:
                of = "bigint"
            name = f"@p{len(self.declared)}"
            self.declared.append(f"{name} {'n' * (type == 'text' and bool(node.info.get('wide')))}{of} = {self.literal(type, value, node)}")
            return name
        if type == "date" and not (self.dialect == SQLITE or self.dialect == TSQL and node.info.get("bare")):
            return f"CAST({self.literal(type, value, node)} AS date)"
        if type == "float":
            return (f"{value!r}E0", f"CAST({value!r} AS float8)", f"{value!r}")[self.dialect]
        return self.literal(type, value, node)

    def literal(self, type, value, node):
        if type == "text":
            return ("N" if self.dialect == TSQL and node.info.get("wide") else "") + "'" + value.replace("'", "''") + "'"
        if type == "date":
            return f"'{value}'"
        if type == "dec":
            return f"{value:.2f}" if value >= 0 else f"({value:.2f})"
        if type == "float":
            return f"{value!r}E0"
        return str(value) if value >= 0 else f"({value})"

    def case(self, node):
        """CASE WHEN condition THEN value … ELSE value END"""
        kids = [self.text(k) for k in node.kids]
        pairs = [f"WHEN {kids[n]} THEN {kids[n + 1]}" for n in range(0, len(kids) - 1, 2)]
        last = f" ELSE {kids[-1]}" if len(kids) % 2 else ""
        return f"CASE {' '.join(pairs)}{last} END"

    def switch(self, node):
        """CASE value WHEN value THEN value ELSE value END"""
        value, when, then, other = self.operands(node)
        return f"CASE {value} WHEN {when} THEN {then} ELSE {other} END"

    def scalar(self, node):
        return f"({self.text(node.kids[0])})"

    def agg(self, node):
        name, distinct = node.info["name"], "DISTINCT " if node.info.get("distinct") else ""
        if name == "COUNT*":
            return "COUNT(*)"
        if name == "GROUPING":
            return f"GROUPING({self.text(node.kids[0])})"
        args = [self.text(k) for k in node.kids if k.op != "key"]
        if name == "AVG" and node.type == "int":
            inner = f"AVG({distinct}{args[0]})"
            return (inner, f"CAST(TRUNC({inner}) AS int)", f"CAST({inner} AS INTEGER)")[self.dialect]
        if name == "STRING_AGG":
            keys = self.keys(node.kids[1:])
            if self.dialect == SQLITE:
                raise Unsupported("SQLite has no order in GROUP_CONCAT")
            return (
                f"STRING_AGG({args[0]}, ',') WITHIN GROUP (ORDER BY {keys})"
                if self.dialect == TSQL
                else f"STRING_AGG({args[0]}, ',' ORDER BY {keys})"
            )
        if name in ("STDEV", "VAR", "STDEVP", "VARP"):
            if self.dialect == SQLITE:
                raise Unsupported("SQLite has no STDEV")
            return (
                f"{name}({args[0]})"
                if self.dialect == TSQL
                else {"STDEV": "STDDEV_SAMP", "VAR": "VAR_SAMP", "STDEVP": "STDDEV_POP", "VARP": "VAR_POP"}[name] + f"({args[0]})"
            )
        return self.whole_sum(node, f"{name}({distinct}{args[0]})")

    def whole_sum(self, node, call):
        """PostgreSQL adds bigint up as numeric, which divides otherwise."""
        return f"CAST({call} AS bigint)" if self.dialect == POSTGRES and node.type == "int" and node.info["name"] == "SUM" else call

    def window(self, node):
        """name(arguments) OVER (PARTITION BY … ORDER BY … frame): kids are arguments, partition list, order list"""
        name, (partition, order) = node.info["name"], node.kids[-2:]
        args = [self.text(k) for k in node.kids[:-2]]
        if name == "COUNT*":
            call = "COUNT(*)"
        else:
            call = f"{name}({', '.join(args)})"
        parts = []
        if partition.kids:
            parts.append("PARTITION BY " + ", ".join(self.text(k) for k in partition.kids))
        if order.kids:
            parts.append("ORDER BY " + self.keys(order.kids))
        if node.info.get("frame"):
            parts.append(node.info["frame"])
        return self.whole_sum(node, f"{call} OVER ({' '.join(parts)})")

    def keys(self, keys):
        """The keys of an order, each once. NULL is less than all else, as T-SQL and SQLite have it."""
        seen, out = set(), []
        for key in keys:
            text = self.text(key.kids[0])
            if text not in seen:
                seen.add(text)
                down = key.info["down"]
                nulls = (" NULLS LAST" if down else " NULLS FIRST") if self.dialect == POSTGRES else ""
                out.append(f"{text}{' DESC' if down else ''}{nulls}")
        return ", ".join(out)

    def place(self, node):
        return str(node.info["at"])

    # Conditions

    def inlist(self, node):
        value, *rest = self.operands(node)
        return f"({value} {'NOT ' if node.info['negated'] else ''}IN ({', '.join(rest)}))"

    def exists(self, node):
        return f"({'NOT ' if node.info['negated'] else ''}EXISTS ({self.text(node.kids[0])}))"

    def in_(self, node):
        value, rows = self.operands(node)
        return f"({value} {'NOT ' if node.info['negated'] else ''}IN ({rows}))"

    def quantified(self, node):
        value, rows = self.operands(node)
        if self.dialect == SQLITE:
            if (node.info["sign"], node.info["all"]) not in (("=", False), ("<>", True)):
                raise Unsupported("SQLite has no ANY and ALL")
            return f"({value} {'NOT ' if node.info['all'] else ''}IN ({rows}))"
        return f"({value} {node.info['sign']} {'ALL' if node.info['all'] else 'ANY'} ({rows}))"

    # Queries

    def item(self, node):
        text = self.text(node.kids[0])
        if self.dialect == TSQL and node.kids[0].type == "text" and not labelled(node.kids[0]):
            text += f" COLLATE {BINARY}"
        if self.dialect == TSQL and node.info.get("assigned"):
            return f"{node.info['name']} = {text}"
        return f"{text} AS {node.info['name']}"

    def select(self, node):
        items, source, where, group, having, order = node.kids
        top, dialect = node.info.get("top"), self.dialect
        out = "SELECT "
        if node.info.get("distinct"):
            out += "DISTINCT "
        ties = top and top.get("ties")
        fetch = top and (top.get("offset") is not None or top.get("fetch")) and not ties
        if top and dialect == TSQL and not fetch:
            out += f"TOP ({top['n']}) {'WITH TIES ' if ties else ''}"
        out += ", ".join(self.text(i) for i in items.kids)
        if source.op != "nothing":
            out += f" FROM {self.text(source)}"
        out += self.joined(" WHERE ", where, " AND ")
        if group.kids:
            keys, how = ", ".join(self.text(k) for k in group.kids), group.info.get("how")
            if how and dialect == SQLITE:
                raise Unsupported(f"SQLite has no GROUP BY {how}")
            if how == "GROUPING SETS":
                keys = f"({keys}), ({self.text(group.kids[0])}), ()"
            out += f" GROUP BY {how} ({keys})" if how else f" GROUP BY {keys}"
        elif group.info.get("all"):
            out += " GROUP BY ()" if dialect != SQLITE else ""
        out += self.joined(" HAVING ", having, " AND ")
        if order.kids:
            out += f" ORDER BY {self.keys(order.kids)}"
        return out + (self.limit(top, fetch) if top else "")

    def limit(self, top, fetch):
        n, offset = top["n"], top.get("offset") or 0
        if self.dialect == TSQL:
            return f" OFFSET {offset} ROWS FETCH NEXT {n} ROWS ONLY" if fetch else ""
        if top.get("ties"):
            if self.dialect == SQLITE:
                raise Unsupported("SQLite has no WITH TIES")
            return f" FETCH FIRST {n} ROWS WITH TIES"
        return f" LIMIT {n} OFFSET {offset}" if offset else f" LIMIT {n}"

    def joined(self, before, node, between):
        return before + between.join(self.text(k) for k in node.kids) if node.kids else ""

    def setop(self, node):
        def branch(kid, at):
            text = self.text(kid)
            if kid.op == "select":
                return text
            if self.dialect == SQLITE:
                return f"SELECT * FROM ({text}) AS b{at}"
            # INTERSECT binds closer, and what is equal goes from the left.
            bare = node.info.get("flat") and (
                kid.info["kind"] == "INTERSECT" if node.info["kind"] != "INTERSECT" else at == 0 and kid.info["kind"] == "INTERSECT"
            )
            bare = bare or node.info.get("flat") and at == 0 and node.info["kind"] != "INTERSECT"
            return text if bare else f"({text})"

        return f" {node.info['kind']} ".join(branch(k, at) for at, k in enumerate(node.kids))

    def ordered(self, node):
        """A set operation with an order and a number of rows."""
        rows, order = node.kids
        out, top = self.text(rows), node.info.get("top")
        out += f" ORDER BY {self.keys(order.kids)}"
        return out + (self.limit(top, True) if top else "")

    def with_(self, node):
        *tables, query = node.kids
        recursive = "RECURSIVE " if self.dialect != TSQL and any(t.info.get("recursive") for t in tables) else ""
        text = ", ".join(f"{t.info['name']} ({', '.join(t.info['columns'])}) AS ({self.text(t.kids[0])})" for t in tables)
        return f"WITH {recursive}{text} {self.text(query)}"

    # What stands in FROM

    def table(self, node):
        return f"{node.info['table']} AS {node.info['alias']}"

    def derived(self, node):
        if node.info.get("values"):
            rows = ", ".join("(" + ", ".join(self.text(k) for k in row.kids) + ")" for row in node.kids)
            columns = ", ".join(node.info["columns"])
            if self.dialect == SQLITE:
                named = ", ".join(f"column{n + 1} AS {c}" for n, c in enumerate(node.info["columns"]))
                return f"(SELECT {named} FROM (VALUES {rows})) AS {node.info['alias']}"
            return f"(VALUES {rows}) AS {node.info['alias']} ({columns})"
        return f"({self.text(node.kids[0])}) AS {node.info['alias']}"

    def join(self, node):
        left, right, on = node.kids
        kind, dialect = node.info["kind"], self.dialect
        l, r = self.text(left), self.text(right)
        if right.op == "join":
            r = f"({r})"
        if kind == "CROSS":
            return f"{l}, {r}" if node.info.get("comma") else f"{l} CROSS JOIN {r}"
        if dialect == SQLITE and kind == "FULL" and left.op == "join":
            raise Unsupported("SQLite 3.40 takes an ON before a FULL JOIN for a WHERE")
        if kind == "FULL" and dialect == POSTGRES and not all(c.op == "eq" and all(k.op == "col" for k in c.kids) for c in on.kids):
            raise Unsupported("PostgreSQL has FULL JOIN by equal columns only")
        if kind.endswith("APPLY"):
            if dialect == SQLITE:
                raise Unsupported("SQLite has no APPLY")
            if dialect == POSTGRES:
                return f"{l} CROSS JOIN LATERAL {r}" if kind[0] == "C" else f"{l} LEFT JOIN LATERAL {r} ON TRUE"
            return f"{l} {kind} {r}"
        condition = " AND ".join(self.text(k) for k in on.kids) or "1 = 1"
        if dialect == SQLITE and kind == "RIGHT":
            return f"{r} LEFT JOIN {f'({l})' if left.op == 'join' else l} ON {condition}"
        return f"{l} {kind} JOIN {r} ON {condition}"

    # Changes

    def update(self, node):
        sets, source, where = node.kids
        table, alias = node.info["table"], node.info["alias"]
        if self.dialect == SQLITE and any(n.op == "table" and n.info["table"] == table for n in where.walk()):
            # WHERE … EXISTS (SELECT … FROM the same table … GROUP BY …) of 3.40 finds rows in its SELECT and not in its UPDATE.
            raise Unsupported("SQLite reads what UPDATE has changed in its subqueries")
        assigned = ", ".join(f"{s.info['name']} = {self.text(s.kids[0])}" for s in sets.kids)
        if self.dialect == TSQL:
            more = f" JOIN {self.text(source.kids[0])} ON {self.text(source.kids[1])}" if source.kids else ""
            shown = self.shown(node, "inserted")
            return f"UPDATE {alias} SET {assigned}{shown} FROM {table} AS {alias}{more}" + self.joined(" WHERE ", where, " AND ")
        more = f" FROM {self.text(source.kids[0])}" if source.kids else ""
        conditions = ([self.text(source.kids[1])] if source.kids else []) + [self.text(k) for k in where.kids]
        only = " WHERE " + " AND ".join(conditions) if conditions else ""
        return f"UPDATE {table} AS {alias} SET {assigned}{more}{only}" + self.shown(node, alias)

    def delete(self, node):
        (where,) = node.kids
        table, alias = node.info["table"], node.info["alias"]
        if self.dialect == TSQL:
            return f"DELETE {alias}{self.shown(node, 'deleted')} FROM {table} AS {alias}" + self.joined(" WHERE ", where, " AND ")
        return f"DELETE FROM {table} AS {alias}" + self.joined(" WHERE ", where, " AND ") + self.shown(node, alias)

    def insert(self, node):
        table, columns = node.info["table"], ", ".join(node.info["columns"])
        rows = self.text(node.kids[0])
        if self.dialect == TSQL:
            return f"INSERT {table} ({columns}){self.shown(node, 'inserted')} {rows}"
        return f"INSERT INTO {table} ({columns}) {rows}" + self.shown(node, table)

    def merge(self, node):
        source, on, matched, sets, values = node.kids
        if self.dialect == SQLITE:
            raise Unsupported("SQLite has no MERGE")
        i = node.info
        and_ = self.joined(" AND ", matched, " AND ")
        does = "DELETE" if not sets.kids else "UPDATE SET " + ", ".join(f"{s.info['name']} = {self.text(s.kids[0])}" for s in sets.kids)
        new = ", ".join(self.text(k) for k in values.kids)
        return (
            f"MERGE {'' if self.dialect == TSQL else 'INTO '}{i['table']} AS {i['alias']} USING {self.text(source)} ON {self.text(on)}"
            f" WHEN MATCHED{and_} THEN {does}"
            f" WHEN NOT MATCHED THEN INSERT ({', '.join(i['columns'])}) VALUES ({new})"
        ) + (";" if self.dialect == TSQL else "")

    def shown(self, node, source):
        names = node.info.get("shown")
        if not names:
            return ""
        if self.dialect == TSQL:
            return " OUTPUT " + ", ".join(f"{source}.{n}" for n in names)
        return " RETURNING " + ", ".join(n if self.dialect == SQLITE else f"{source}.{n}" for n in names)


setattr(Printer, "in", Printer.in_)
setattr(Printer, "with", Printer.with_)


def text(node, dialect):
    printer = Printer(dialect)
    out = printer.text(node)
    return (f"DECLARE {', '.join(printer.declared)}; " if printer.declared else "") + out


def is_query(node):
    return node.op in ("select", "setop", "ordered", "with")


def items(node):
    """The items of a query."""
    while node.op != "select":
        node = node.kids[-1] if node.op == "with" else node.kids[0]
    return node.kids[0].kids
