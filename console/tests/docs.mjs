// docs.mjs FOLDER: the documentation's pictures of the console, of a server of TAFFRAIL_BINARY at work for three minutes, each in both
// themes. The rest of the pictures are charts of the lab's reports.

import { strict as assert } from "node:assert";
import { join, resolve } from "node:path";
import { launch, openPage, pause, show, startServer, work } from "./support.mjs";

const PICTURES = ["overview", "log"];
/** The charts' first range, so that they are drawn from edge to edge. */
const FILLED_MS = 185_000;

const folder = process.argv[2];
assert.ok(folder, "docs.mjs FOLDER");
const server = await startServer();
const browser = await launch();
try {
  const busy = await work(server);
  await pause(FILLED_MS);
  for (const theme of ["light", "dark"]) {
    const page = await openPage(browser, server, { theme });
    for (const name of PICTURES) {
      await show(page, server, name);
      if (name === "log") await page.locator("#database").selectOption({ label: "shop" });
      await pause(6_000);
      const path = join(resolve(folder), `console-${name}${theme === "dark" ? "-dark" : ""}.png`);
      await page.screenshot({ path });
      console.log(path);
    }
    assert.deepEqual(page.complaints, []);
    await page.context().close();
  }
  await busy.stop();
} finally {
  await browser.close();
  await server.stop();
}
