// Every expression of packaging/grafana/taffrail.json, asked of a Prometheus that scrapes a server at work: each has an answer.

import { strict as assert } from "node:assert";
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pause, startServer, work } from "./support.mjs";

const dashboard = JSON.parse(readFileSync(new URL("../../packaging/grafana/taffrail.json", import.meta.url), "utf8"));
const server = await startServer();
const load = await work(server);
const port = await new Promise((resolve) => {
  const probe = createServer().listen(0, "127.0.0.1", () => {
    const { port } = probe.address();
    probe.close(() => resolve(port));
  });
});
const folder = mkdtempSync(join(tmpdir(), "taffrail-prometheus-"));
const target = new URL(server.url).host;
writeFileSync(join(folder, "prometheus.yml"), `global: {scrape_interval: 1s}\nscrape_configs:\n  - job_name: taffrail\n    static_configs: [{targets: ["${target}"]}]\n`);
const prometheus = spawn("prometheus", [`--config.file=${folder}/prometheus.yml`, `--storage.tsdb.path=${folder}/data`, `--web.listen-address=127.0.0.1:${port}`, "--log.level=error"], { stdio: ["ignore", "inherit", "inherit"] });
prometheus.on("error", () => {
  console.error("prometheus is missing: install the package prometheus");
  process.exit(1);
});

const variables = { $__rate_interval: "10s", $job: ".*", $instance: ".*", $db: ".*" };
const filled = (text) => Object.entries(variables).reduce((t, [name, value]) => t.replaceAll(name, value), text);
const api = async (path) => {
  const response = await fetch(`http://127.0.0.1:${port}/api/v1/${path}`).catch(() => null);
  return response ? response.json() : { status: "not there" };
};
const query = (expr) => api(`query?query=${encodeURIComponent(filled(expr))}`);

try {
  const end = Date.now() + 30_000;
  while ((await query("count_over_time(taffrail_uptime_seconds[1m]) > 12")).data?.result.length !== 1) {
    assert.ok(Date.now() < end, "Prometheus has no samples");
    await pause(500);
  }
  const wrong = [];
  let asked = 0;
  for (const panel of dashboard.panels) {
    for (const { expr } of panel.targets ?? []) {
      asked++;
      const answer = await query(expr);
      if (answer.status !== "success") wrong.push(`${panel.title}: ${expr}: ${answer.error}`);
      else if (!answer.data.result.length) wrong.push(`${panel.title}: ${expr}: no answer`);
    }
  }
  // What the variables list.
  for (const { name, query: text } of dashboard.templating.list.filter((v) => v.type === "query")) {
    asked++;
    const [, series, label] = /^label_values\((.*), (\w+)\)$/.exec(text);
    const answer = await api(`label/${label}/values?match[]=${encodeURIComponent(filled(series))}`);
    if (!answer.data?.length) wrong.push(`$${name}: ${text}: no answer`);
  }
  assert.deepEqual(wrong, []);
  // What Prometheus has is what the server says.
  const text = await (await fetch(`${server.url}/metrics`)).text();
  const families = [...text.matchAll(/^# TYPE (\S+)/gm)].map((m) => m[1]);
  const unknown = [];
  for (const { expr } of dashboard.panels.flatMap((p) => p.targets ?? [])) {
    for (const [name] of expr.matchAll(/(?:mssql|taffrail)_[a-z_]+/g)) if (!families.includes(name.replace(/_(total|bucket|sum|count)$/, "")) && !families.includes(name)) unknown.push(name);
  }
  assert.deepEqual(unknown, []);
  console.log(`${asked} expressions, all answered; ${families.length} families`);
} finally {
  prometheus.kill();
  await load.stop();
  await server.stop();
  await pause(300);
  rmSync(folder, { recursive: true, force: true });
}
