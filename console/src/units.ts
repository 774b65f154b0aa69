// Numbers as people read them, each with its unit.

const plain = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const tenths = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });
const fine = new Intl.NumberFormat("en", { maximumFractionDigits: 2 });

/** Three digits are enough to see where something goes. */
function few(n: number): string {
  return n >= 100 ? plain.format(n) : n >= 10 ? tenths.format(n) : fine.format(n);
}

export function count(n: number | null): string {
  return n === null ? "–" : plain.format(n);
}

export function rate(n: number | null): string {
  if (n === null) return "–";
  return few(n);
}

export function bytes(n: number | null): string {
  if (n === null) return "–";
  const units = ["B", "KB", "MB", "GB", "TB"];
  let i = 0;
  while (Math.abs(n) >= 1024 && i < units.length - 1) {
    n /= 1024;
    i++;
  }
  return `${i === 0 ? plain.format(n) : few(n)} ${units[i]}`;
}

export function micros(us: number | null): string {
  if (us === null) return "–";
  if (us < 1000) return `${plain.format(us)} µs`;
  if (us < 1e6) return `${few(us / 1000)} ms`;
  return seconds(us / 1e6);
}

export function seconds(s: number | null): string {
  if (s === null) return "–";
  if (s < 60) return `${fine.format(s)} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min ${Math.floor(s % 60)} s`;
  if (s < 86400) return `${Math.floor(s / 3600)} h ${Math.floor((s % 3600) / 60)} min`;
  return `${Math.floor(s / 86400)} d ${Math.floor((s % 86400) / 3600)} h`;
}

export function percent(n: number | null): string {
  return n === null ? "–" : `${few(n)} %`;
}

/** numeric(25,0) as the other LSNs of the page are written: VLF, block and slot in hexadecimal. */
export function lsnOf(digits: string): string {
  const all = digits.padStart(25, "0");
  const hex = (from: number, to: number, width: number) => Number(all.slice(from, to)).toString(16).padStart(width, "0");
  return `${hex(0, 10, 8)}:${hex(10, 20, 8)}:${hex(20, 25, 4)}`;
}

/** A type with its length, as DDL has it. */
export function typeOf(name: string, length: number, precision: number, scale: number): string {
  if (["decimal", "numeric"].includes(name)) return `${name}(${precision},${scale})`;
  if (["datetime2", "datetimeoffset", "time"].includes(name)) return `${name}(${scale})`;
  if (["varchar", "char", "varbinary", "binary"].includes(name)) return `${name}(${length < 0 ? "max" : length})`;
  if (["nvarchar", "nchar"].includes(name)) return `${name}(${length < 0 ? "max" : length / 2})`;
  return name;
}

/** So many points of a chart can be told apart, and drawn each second. */
const POINTS = 2000;

/** Of more points than can be told apart the smallest and the largest of each stretch, in the order of time, and the last one. */
export function extremes<T>(all: T[], of: (one: T) => number, most = POINTS): T[] {
  if (all.length <= most) return all;
  const stretch = Math.ceil((2 * all.length) / most);
  const some: T[] = [];
  for (let from = 0; from < all.length; from += stretch) {
    let [least, greatest] = [from, from];
    for (let i = from; i < Math.min(from + stretch, all.length); i++) {
      if (of(all[i]) < of(all[least])) least = i;
      if (of(all[i]) > of(all[greatest])) greatest = i;
    }
    some.push(...[...new Set([least, greatest])].sort((a, b) => a - b).map((i) => all[i]));
  }
  const last = all[all.length - 1];
  return some[some.length - 1] === last ? some : [...some, last];
}
