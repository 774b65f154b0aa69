// A row as the log's functions tell it: a JSON object, read without making numbers of its figures.

/** Names and values in the order in which they stand there, numbers with every digit; null: it is no such object. */
export function members(json: string): [string, string | null][] | null {
  const all: [string, string | null][] = [];
  const token = /\s*([{}\[\],:]|"(?:[^"\\]|\\.)*"|[^\s{}\[\],:"]+)/gsy;
  const next = () => token.exec(json)?.[1];
  if (next() !== "{") return null;
  let name = next();
  if (name === "}") return all;
  for (;;) {
    if (!name?.startsWith('"') || next() !== ":") return null;
    let value = next();
    if (value === undefined) return null;
    if (value === "{" || value === "[") {
      // What lies within is shown as it stands.
      const from = token.lastIndex - 1;
      for (let depth = 1; depth > 0; ) {
        const inner = next();
        if (inner === undefined) return null;
        depth += inner === "{" || inner === "[" ? 1 : inner === "}" || inner === "]" ? -1 : 0;
      }
      value = json.slice(from, token.lastIndex);
    } else if (value.startsWith('"')) value = JSON.parse(value) as string;
    else if (value === "null") value = undefined;
    else if (!/^(-?\d|true$|false$)/.test(value)) return null;
    all.push([JSON.parse(name), value ?? null]);
    const end = next();
    if (end === "}") return all;
    if (end !== ",") return null;
    name = next();
  }
}
