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
