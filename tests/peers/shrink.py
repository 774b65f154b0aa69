"""Statements that are smaller than one that is found to differ."""

from tree import VALUES, Node, is_query, labelled, lit

# Lists that may lose a part: where they stand in their node.
LOSING = {"select": (2, 4), "update": (2,), "delete": (0,), "join": (2,), "merge": (2,)}
LEAVES = {"int": 1, "dec": 1, "float": 1, "text": "a", "date": "2024-01-30"}


def defined(tree):
    return {n.info["alias"] for n in tree.walk() if "alias" in n.info and n.op != "col"}


def pruned(tree):
    """Without the conditions, keys and items that name what is no longer there; None if that cannot be."""
    known = defined(tree)
    whole = lambda n: all(k.op != "col" or k.info["alias"] in known for k in n.walk())

    def go(node):
        kids = [go(k) for k in node.kids]
        for at in LOSING.get(node.op, ()):
            kids[at] = kids[at].with_kids([k for k in kids[at].kids if whole(k)])
        if node.op == "select":
            kids[3] = kids[3].with_kids([k for k in kids[3].kids if whole(k)])
            kids[5] = kids[5].with_kids([k for k in kids[5].kids if whole(k)])
        if node.op == "window":
            kids[-1], kids[-2] = (k.with_kids([x for x in k.kids if whole(x)]) for k in (kids[-1], kids[-2]))
        return node.with_kids(kids)

    out = go(tree)
    return out if whole(out) and sound(out) else None


def sound(tree):
    """Texts that are grouped or sorted have a collation, and an order still decides."""
    for n in tree.walk():
        if n.op == "select":
            if any(k.type == "text" and not labelled(k) for k in n.kids[3].kids):
                return False
            if n.info.get("top") and not n.kids[5].kids:
                return False
        if n.op in ("key", "agg") and any(k.type == "text" and not labelled(k) for k in n.kids):
            return False
        if n.op == "key" and n.kids[0].op == "lit":
            return False
    return True


def candidates(tree):
    """Trees with a part less or simpler, the boldest first."""
    places = sorted(walk(tree, ()), key=lambda p: -size(p[1]))
    for path, node in places:
        for new in simpler(node, path):
            smaller = pruned(replaced(tree, path, new))
            if smaller is not None:
                yield smaller


def walk(node, path):
    yield path, node
    for at, kid in enumerate(node.kids):
        yield from walk(kid, path + (at,))


def size(node):
    return sum(1 for _ in node.walk())


def replaced(tree, path, new):
    if not path:
        return new
    kids = list(tree.kids)
    kids[path[0]] = replaced(kids[path[0]], path[1:], new)
    return tree.with_kids(kids)


def simpler(node, path):
    for at in LOSING.get(node.op, ()):
        some = node.kids[at]
        for n in range(len(some.kids)):
            kids = list(node.kids)
            kids[at] = some.with_kids(some.kids[:n] + some.kids[n + 1 :])
            yield node.with_kids(kids)
    if node.op == "join":
        yield node.kids[0]
        yield node.kids[1]
        if node.info["kind"] in ("LEFT", "RIGHT", "FULL"):
            yield Node("join", node.kids, kind="INNER")
    if node.op == "setop":
        yield from node.kids
    if node.op == "with":
        yield node.kids[-1]
    if node.op == "ordered":
        yield node.kids[0]
    if node.op == "select":
        if len(node.kids[0].kids) > 1 and not (path and path[-1] == 0 and len(path) > 1):
            for n in range(len(node.kids[0].kids)):
                yield without_item(node, n)
        if node.info.get("distinct"):
            yield Node("select", node.kids, None, **{**node.info, "distinct": False})
        top = node.info.get("top")
        if top and (not path or path == (0,)):
            yield Node("select", node.kids, None, **{k: v for k, v in node.info.items() if k != "top"})
    if node.op == "window" and node.kids[-2].kids:
        yield node.with_kids(node.kids[:-2] + [Node("list"), node.kids[-1]])
    if node.op in ("update",) and len(node.kids[0].kids) > 1:
        for n in range(len(node.kids[0].kids)):
            yield node.with_kids([node.kids[0].with_kids(node.kids[0].kids[:n] + node.kids[0].kids[n + 1 :])] + node.kids[1:])
    if node.op in ("update", "delete", "insert") and node.info.get("shown"):
        yield Node(node.op, node.kids, None, **{**node.info, "shown": None})
    if node.op == "inlist" and len(node.kids) > 2:
        for n in range(1, len(node.kids)):
            yield node.with_kids(node.kids[:n] + node.kids[n + 1 :])
    if node.type == "bool":
        yield Node("true", [], "bool")
        for kid in node.kids:
            if kid.type == "bool":
                yield kid
    elif node.type in VALUES and node.op not in ("col", "lit", "item", "set", "key", "collate"):
        inner = [n for k in node.kids for n in within(k) if n.type == node.type and n.op not in ("item", "set", "key")]
        yield from inner[:6]
        if node.type in LEAVES:
            yield lit(node.type, LEAVES[node.type])
    elif node.op == "lit" and node.info.get("param"):
        yield Node("lit", [], node.type, **{**node.info, "param": False})


def within(node):
    """What lies in an expression, not in its subqueries."""
    if not is_query(node):
        yield node
        for kid in node.kids:
            yield from within(kid)


def without_item(select, n):
    kids = list(select.kids)
    kids[0] = kids[0].with_kids(kids[0].kids[:n] + kids[0].kids[n + 1 :])
    order = []
    for key in kids[5].kids:
        place = key.kids[0]
        if place.op == "place":
            at = place.info["at"]
            if at == n + 1:
                continue
            key = key.with_kids([Node("place", [], "int", at=at - (at > n + 1))])
        order.append(key)
    kids[5] = kids[5].with_kids(order)
    return select.with_kids(kids)
