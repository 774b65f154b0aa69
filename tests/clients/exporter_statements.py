"""The queries of sql_exporter's collectors for SQL Server, unmodified: HOST PORT PASSWORD FOLDER. Each metric's columns must be there."""
import pathlib
import re
import sys
import textwrap

import pymssql

host, port, password, folder = sys.argv[1:5]
# What only Azure has: its files tell that by their names.
OF_CLOUDS = re.compile("azure|_mi_", re.I)


def block(text, at, indent):
    """The lines from `at` on that are indented deeper."""
    lines = []
    for line in text[at:].splitlines()[1:]:
        if line.strip() and len(line) - len(line.lstrip()) <= indent:
            break
        lines.append(line)
    return textwrap.dedent("\n".join(lines))


def names(entry, key):
    """A list of YAML, in one line or in several."""
    found = re.search(rf"^ *{key}:[ \t]*(?:\[(.*?)\]|((?:\n *- .*)+))", entry, re.M)
    if found is None:
        return []
    if found[1] is not None:
        return [n.strip().strip("'\"") for n in found[1].split(",") if n.strip()]
    return [n.strip() for n in re.findall(r"^ *- ([^#\n]+)", found[2], re.M)]


def metrics(text):
    """Name, query and the columns that are read of each metric; queries that several share are given once at the end of the file."""
    shared = {}
    for query in re.finditer(r"^( *)- query_name:\s*(\S+)", text, re.M):
        entry = block(text, query.start(), len(query[1]))
        shared[query[2]] = written(entry)
    for metric in re.finditer(r"^( *)- metric_name:\s*(\S+)", text, re.M):
        entry = block(text, metric.start(), len(metric[1]))
        ref = re.search(r"^\s*query_ref:\s*(\S+)", entry, re.M)
        yield metric[2], shared[ref[1]] if ref else written(entry), names(entry, "values") + names(entry, "key_labels")


def written(entry):
    found = re.search(r"^( *)query: *(.*)", entry, re.M)
    return block(entry, found.start(), len(found[1])) if found[2].startswith(("|", ">")) else found[2]


tried = failed = 0
for source in sorted(pathlib.Path(folder).rglob("mssql*.collector.yml")):
    if OF_CLOUDS.search(str(source.relative_to(folder))):
        continue
    for name, sql, columns in metrics(source.read_text()):
        tried += 1
        try:
            with pymssql.connect(
                server=host, port=port, user="sa", password=password, login_timeout=20, appname="sql_exporter", autocommit=True
            ) as connection:
                cursor = connection.cursor()
                cursor.execute(sql)
                rows = cursor.fetchall()
                has = {c[0].lower() for c in cursor.description}
            missing = [c for c in columns if c.lower() not in has]
            assert columns and not missing, f"missing of {columns}: {missing}"
            assert rows, "no rows"
            print("ok", source.name, name, len(rows))
        except Exception as e:
            print("FAILED", source.name, name, e)
            failed += 1
assert tried >= 10, f"only {tried} metrics in {folder}"
sys.exit(failed > 0)
