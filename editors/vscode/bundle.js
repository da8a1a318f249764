// Bundles the extension with what it needs into dist/: one file of code, and the licences of what is in it.

const { readFileSync, readdirSync, rmSync, writeFileSync } = require("node:fs");
const { join } = require("node:path");
const esbuild = require("esbuild");

const OUT = join(__dirname, "dist");

// The packages that lie in the bundle, as folders, from the list of files that esbuild put there.
function packagesOf(inputs) {
  const folders = inputs.map((file) => file.match(/^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/)?.[0]);
  return [...new Set(folders.filter((folder) => folder !== undefined))].sort();
}

function licenceOf(folder) {
  const file = readdirSync(join(__dirname, folder)).find((name) => /^(licen[cs]e|copying)(\.|$)/i.test(name));
  if (file === undefined) throw new Error(`${folder} comes without its licence`);
  const { name, version } = JSON.parse(readFileSync(join(__dirname, folder, "package.json"), "utf8"));
  return `${name} ${version}\n\n${readFileSync(join(__dirname, folder, file), "utf8").trim()}\n`;
}

rmSync(OUT, { recursive: true, force: true });
const { metafile } = esbuild.buildSync({
  absWorkingDir: __dirname,
  entryPoints: ["extension.js"],
  outfile: join(OUT, "extension.js"),
  bundle: true,
  external: ["vscode"], // the editor gives it
  metafile: true,
  minify: true,
  platform: "node",
  target: "node18", // of the oldest editor in package.json
});
const own = `arrayol\n\n${readFileSync(join(__dirname, "../../LICENSE"), "utf8").trim()}\n`;
const licences = packagesOf(Object.keys(metafile.inputs)).map(licenceOf);
writeFileSync(join(OUT, "licences.txt"), [own, ...licences].join(`\n${"-".repeat(80)}\n\n`));
