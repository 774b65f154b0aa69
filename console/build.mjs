// Builds dist/, which is committed and goes into the server's binary together with static/. With --check: fails if dist/ is not what the sources give.
import { build } from "esbuild";
import { readFileSync, writeFileSync, mkdirSync } from "node:fs";
import { gzipSync } from "node:zlib";

const check = process.argv.includes("--check");
const outdir = "dist";
const licence = (name) => readFileSync(`node_modules/${name}/LICENSE`, "utf8").trim();
const bundle = async (entryPoints, library, of) => (await build({
  entryPoints,
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  outdir,
  legalComments: "none",
  banner: { js: `/* Taffrail's console, Apache-2.0. With ${library}:\n${licence(of)}\n*/` },
  write: false,
  charset: "utf8",
})).outputFiles;
// The editor is loaded when the page Query opens.
const outputs = [...(await bundle({ app: "src/main.ts" }, "uPlot", "uplot")), ...(await bundle({ editor: "src/editor.ts" }, "CodeMirror and Lezer", "@codemirror/view"))];
const files = outputs.map((f) => [f.path.split("/").pop(), Buffer.from(f.contents)]);
let wrong = false;
mkdirSync(outdir, { recursive: true });
let packed = 0;
for (const name of ["index.html", "icon.svg"]) packed += gzipSync(readFileSync(`static/${name}`)).length;
for (const [name, content] of files) {
  if (name.startsWith("app.")) packed += gzipSync(content).length;
  else console.log(`${name}: ${(gzipSync(content).length / 1024).toFixed(1)} KiB compressed`);
  const path = `${outdir}/${name}`;
  if (!check) {
    writeFileSync(path, content);
    continue;
  }
  let there = Buffer.alloc(0);
  try {
    there = readFileSync(path);
  } catch {}
  if (!there.equals(content)) {
    console.error(`${path} is not what the sources give: npm run build`);
    wrong = true;
  }
}
console.log(`${(packed / 1024).toFixed(1)} KiB compressed`);
if (packed > 300 * 1024) {
  console.error("The first page is larger than 300 KiB.");
  wrong = true;
}
process.exit(wrong ? 1 : 0);
