#!/usr/bin/env python3
"""Random statements on Taffrail, SQLite and PostgreSQL, where they mean the same: each must give the same rows.

    run.py BINARY                       20,000 statements, from seed 1
    run.py BINARY --statements N --seed S
    run.py BINARY --seconds N           for so long
    run.py BINARY --again SEED.NUMBER   one statement again, with its texts and answers

A seed decides eight tables, two views and the statements (`PER_WORLD` of them). What differs is made as small as it goes and printed for
each engine. A statement is compared with each peer by itself; what a peer cannot say is skipped, with the reason, and may be a tenth.
"""

import argparse
import collections
import random
import re
import shutil
import sys
import tempfile
import time

import changes
import shrink
import world
from engines import Postgres, Refused, Slow, Sqlite, Taffrail
from statements import Statements
from tree import POSTGRES, SQLITE, TSQL, Unsupported, items, text

PER_WORLD = 250
# Attempts to make one statement smaller, and differences after which it stops.
ATTEMPTS, MOST = 400, 40
# Nodes of a statement.
GREATEST = 500


class Question:
    """A statement; what is sent of it, and the types of the rows that come."""

    def __init__(self, tree, table=None):
        self.tree, self.table = tree, table

    def texts(self, dialect):
        sql = text(self.tree, dialect)
        if self.table is None:
            return [sql]
        begin, end = ("BEGIN TRANSACTION", "ROLLBACK")
        everything = f"SELECT {', '.join(c for c, _ in self.table.columns)} FROM {self.table.name}"
        return [begin, sql, everything, end]

    def types(self):
        if self.table is None:
            return [[i.kids[0].type for i in items(self.tree)]]
        types = dict(self.table.columns)
        shown = self.tree.info.get("shown")
        return ([[types[c] for c in shown]] if shown else []) + [list(types.values())]

    def ordered(self):
        tree = self.tree
        while tree.op == "with":
            tree = tree.kids[-1]
        if tree.op == "ordered":
            return True
        return tree.op == "select" and bool(tree.kids[5].kids) and not (tree.info.get("top") or {}).get("ties")


def question(seed, number, tables):
    dice = random.Random(f"{seed}.{number}")
    while True:
        maker, table = Statements(dice, tables), None
        if dice.random() < 0.18:
            maker.tables = tables[: world.TABLES]
            tree, table = changes.change(maker)
        else:
            tree = maker.statement()
        # A statement has 256 tables at most, those of its views and common tables among them.
        if sum(1 for _ in tree.walk()) < GREATEST:
            return Question(tree, table)


def views(seed, tables):
    """Two views in all dialects."""
    dice, out = random.Random(f"views {seed}"), []
    while len(out) < 2:
        maker = Statements(dice, tables)
        maker.params = False
        query, columns, rows = maker.described(1, None)
        if any((n.info.get("frame") or "").startswith("RANGE") or n.info.get("kind") == "FULL" for n in query.walk()):
            # Some of these are refused, and then there would be no view at all.
            continue
        name = f"v{len(out)}"
        view = world.Table(
            name,
            [(c, t) for c, t, _, _ in columns],
            [c for c, *_ in columns],
            rows,
            {c: b for c, _, b, _ in columns},
            {c: p for c, _, _, p in columns},
        )
        try:
            for dialect, script in enumerate(view.scripts):
                script.append(f"CREATE VIEW {name} AS {text(query, dialect)}")
        except Unsupported:
            continue
        out.append(view)
    return out


def outcome(engine, dialect, question):
    """Rows, or why there are none."""
    try:
        sets = engine.run(question.texts(dialect), question.types())
    except (Unsupported, Refused, Slow) as why:
        return why
    key = lambda row: tuple((v is not None, v) for v in row)
    return sets if question.ordered() else [sorted(s, key=key) for s in sets]


def general(text):
    """A message without its names and numbers."""
    return re.sub(r'"[^"]*"|\'[^\']*\'|\d+', "…", text)[:90]


# What T-SQL refuses of what its grammar can say.
LIMITS = {
    8711: "T-SQL has one order for all ordered aggregates of a SELECT",
    9829: "STRING_AGG of a text that is not (max) ends at 8,000 bytes",
    106: "a query has 256 tables at the most, those of its views too",
    4413: "a query has 256 tables at the most, those of its views too: 106 comes before",
}


def differs(ours, theirs):
    """'rows', the number of an error, or None; a reason to skip is a text with a blank."""
    if isinstance(theirs, Unsupported):
        return f"skip {theirs}"
    if isinstance(ours, Unsupported):
        return f"skip {ours}"
    if isinstance(ours, Refused) and ours.number == 40510:
        return f"skip Taffrail has not built: {general(ours.text)}"
    if isinstance(ours, Refused) and ours.number in LIMITS:
        return f"skip {LIMITS[ours.number]} ({ours.number})"
    if isinstance(theirs, Slow) or isinstance(ours, Slow):
        return f"skip {'Taffrail' if isinstance(ours, Slow) else 'the peer'} takes {ours if isinstance(ours, Slow) else theirs}"
    if isinstance(theirs, Refused):
        both = "both refuse" if isinstance(ours, Refused) else "the peer refuses"
        return f"skip {both}: {theirs.number} {general(theirs.text)}"
    if isinstance(ours, Refused):
        return f"error {ours.number}"
    return None if ours == theirs else "rows"


def asked(engines, question):
    """What each engine says, and the differences."""
    said = [outcome(engine, dialect, question) for dialect, engine in enumerate(engines)]
    return said, [differs(said[TSQL], said[peer]) for peer in (POSTGRES, SQLITE)]


def smallest(engines, question, found):
    """A smaller statement with the same kind of difference."""
    attempts = 0
    smaller = True
    while smaller and attempts < ATTEMPTS:
        smaller = False
        for tree in shrink.candidates(question.tree):
            attempts += 1
            if attempts > ATTEMPTS:
                break
            less = Question(tree, question.table)
            try:
                _, differences = asked(engines, less)
            except (KeyError, IndexError, AttributeError):
                continue
            if any(f == d for f, d in zip(found, differences) if f and not f.startswith("skip")):
                question, smaller = less, True
                break
    return question


def told(engines, question):
    said, _ = asked(engines, question)
    out = []
    for dialect, (engine, what) in enumerate(zip(engines, said)):
        out.append(f"  {engine.name}:")
        if not isinstance(what, Unsupported):
            out += [f"    {line}" for line in question.texts(dialect)]
        if isinstance(what, list):
            for rows in what:
                out.append(f"    {len(rows)} rows")
                out += [f"      {tuple(str(v) if v is not None else None for v in row)}" for row in rows[:12]]
        else:
            out.append(f"    {type(what).__name__}: {what}")
    return "\n".join(out)


def made(engines, seed, tables):
    """Makes the tables and views of a seed everywhere; which engine refuses something of it, and what it says."""
    begun = []
    for dialect in (POSTGRES, SQLITE, TSQL):
        begun.append(engines[dialect])
        try:
            engines[dialect].world(f"peers_{seed}", [sql for t in tables for sql in t.scripts[dialect]])
        except Refused as why:
            for engine in begun:
                engine.end_world(f"peers_{seed}")
            return dialect, why
    return None


class Tally:
    def __init__(self):
        self.statements = 0
        self.compared = collections.Counter()
        self.skipped = collections.Counter()
        self.reasons = collections.Counter()

    def count(self, engines, differences):
        self.statements += 1
        for engine, difference in zip(engines[1:], differences):
            if difference and difference.startswith("skip "):
                self.skipped[engine.name] += 1
                self.reasons[difference[5:]] += 1
            else:
                self.compared[engine.name] += 1

    def show(self, found):
        compared, skipped = self.compared.total(), self.skipped.total()
        share = skipped * 100 / max(compared + skipped, 1)
        for name in self.compared:
            print(f"{name}: compared {self.compared[name]}, skipped {self.skipped[name]}")
        for reason, count in self.reasons.most_common():
            print(f"{count:8} {reason}")
        print(f"{self.statements} statements: compared {compared}, skipped {skipped} ({share:.1f} %), {found} differences")
        return share


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("--statements", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--again")
    options = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="taffrail-peers-")
    engines = []
    found, tally = 0, Tally()
    try:
        engines.append(Taffrail(options.binary, folder))
        engines.append(Postgres(folder))
        engines.append(Sqlite())
        seed, only = options.seed, None
        if options.again:
            seed, only = (int(n) for n in options.again.split("."))
        end = time.monotonic() + options.seconds if options.seconds else None
        while True:
            over = tally.statements >= options.statements if end is None else time.monotonic() > end
            if over or found >= MOST:
                break
            tables = world.tables(seed)
            tables += views(seed, tables)
            refused = made(engines, seed, tables)
            if refused is not None:
                # There is nothing to ask. Where the peers have these tables and views it is a difference.
                dialect, why = refused
                found += dialect == TSQL
                print(f"\n{seed}: {engines[dialect].name}: {why}", flush=True)
                seed += 1
                if options.again:
                    break
                continue
            for number in [only] if options.again else range(min(PER_WORLD, options.statements - tally.statements)):
                asking = question(seed, number, tables)
                _, differences = asked(engines, asking)
                tally.count(engines, differences)
                if options.again:
                    print(told(engines, asking))
                if any(d and not d.startswith("skip ") for d in differences):
                    found += 1
                    small = smallest(engines, asking, differences)
                    print(f"\n{seed}.{number}: {' / '.join(str(d) for d in differences)}\n{told(engines, small)}", flush=True)
                    if found >= MOST:
                        break
            for engine in engines:
                engine.end_world(f"peers_{seed}")
            if options.again:
                break
            seed += 1
    finally:
        for engine in engines:
            engine.stop()
        shutil.rmtree(folder, ignore_errors=True)
    share = tally.show(found)
    if found:
        print("one again: --again SEED.NUMBER")
    return 1 if found or share > 10 else 0


if __name__ == "__main__":
    sys.exit(main())
