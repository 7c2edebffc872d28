// Builds `dist`: declarations by the TypeScript compiler, JavaScript by rolldown. All entry points (the package's exports,
// the command, worker threads) are bundled together, so that whatever two of them share is one chunk, and a process that
// uses several of them has one copy of every module.
//
//   node scripts/build.mjs [--clean]
//
// Files that do not change are not written, so a build does not disturb processes that run an earlier one.
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const root = fileURLToPath(new URL("..", import.meta.url));
const dist = join(root, "dist");
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

/** Makes the module of `new Worker(new URL("./x.js", import.meta.url))` an entry point of its own. */
const workerEntries = {
  name: "worker-entries",
  transform(code, id) {
    const [, call, file] =
      /(new Worker\(\s*)new URL\("\.\/([\w-]+)\.js", import\.meta\.url\)/.exec(code) ?? [];
    if (call === undefined) return undefined;
    const source = join(dirname(id), `${file}.ts`);
    const fileName = relative(join(root, "src"), source).replaceAll(sep, "/").replace(/\.ts$/, ".js");
    const reference = this.emitFile({ type: "chunk", id: source, fileName });
    // The line stays where it is, so the source map holds.
    return {
      code: code.replace(
        `new URL("./${file}.js", import.meta.url)`,
        `new URL(import.meta.ROLLUP_FILE_URL_${reference})`,
      ),
      map: null,
    };
  },
};

if (process.argv.includes("--clean")) rmSync(dist, { recursive: true, force: true });
execFileSync(
  process.execPath,
  [join(root, "node_modules/typescript/bin/tsc"), "-p", join(root, "tsconfig.build.json")],
  { stdio: "inherit" },
);
write(await bundle());

/** JavaScript and source maps by their paths below `dist`. */
async function bundle() {
  const files = [
    ...Object.values(manifest.exports).map((target) => target.default ?? ""),
    ...Object.values(manifest.bin),
  ];
  const entries = files
    .map((file) => /^(?:\.\/)?dist\/(.*)\.js$/.exec(file)?.[1])
    .filter((name) => name !== undefined)
    .map((name) => [name, join(root, "src", `${name}.ts`)]);
  const packages = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });
  const build = await rolldown({
    cwd: root,
    input: Object.fromEntries(entries),
    platform: "node",
    transform: { target: "node20" },
    tsconfig: false,
    external: [/^node:/, ...packages.map((name) => new RegExp(`^${name}(/|$)`))],
    plugins: [workerEntries],
  });
  const { output } = await build.generate({
    format: "esm",
    sourcemap: true,
    entryFileNames: "[name].js",
    chunkFileNames: "chunks/[name]-[hash].js",
  });
  await build.close();
  return new Map(output.map((file) => [file.fileName, file.type === "chunk" ? file.code : file.source]));
}

/** Writes what has changed, and removes what is no longer made. */
function write(made) {
  for (const name of readdirSync(dist, { recursive: true })) {
    const isScript = /\.js(\.map)?$/.test(name);
    if (isScript && !made.has(name.replaceAll(sep, "/"))) rmSync(join(dist, name));
  }
  for (const [name, text] of made) {
    const path = join(dist, name);
    mkdirSync(dirname(path), { recursive: true });
    if (read(path) !== text) writeFileSync(path, text);
  }
}

function read(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
