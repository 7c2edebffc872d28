// Builds `dist`: JavaScript by rolldown, declarations by the TypeScript compiler. All entry points (the package's exports, the
// command, worker threads) are bundled together, so that whatever two of them share is one chunk, and a process that uses
// several of them has one copy of every module.
//
// Packages in `dependencies` stay imports. Those in `devDependencies` are bundled where `src` imports them: to find and read
// their many small files takes longer than to run them, a quarter of a whole start.
//
// Files that have not changed are not written, so a build does not disturb processes that run the same one.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, posix, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const root = fileURLToPath(new URL("..", import.meta.url));
const dist = join(root, "dist");
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const exported = Object.values(manifest.exports).filter((target) => typeof target === "object");

/** Makes the module of `new Worker(new URL("./x.js", import.meta.url))` an entry point of its own. */
const workerEntries = {
  name: "worker-entries",
  transform(code, id) {
    const [url, file] =
      /(?<=new Worker\(\s*)new URL\("\.\/([\w-]+)\.js", import\.meta\.url\)/.exec(code) ?? [];
    if (url === undefined) return undefined;
    const source = join(dirname(id), `${file}.ts`);
    const fileName = relative(join(root, "src"), source).replaceAll(sep, "/").replace(/\.ts$/, ".js");
    const reference = this.emitFile({ type: "chunk", id: source, fileName });
    // No line moves, so the source map still holds.
    return { code: code.replace(url, `new URL(import.meta.ROLLUP_FILE_URL_${reference})`), map: null };
  },
};

write(new Map([...(await bundles()), ...declarations()]));

/** JavaScript, source maps and licences, by their paths in `dist`. */
async function bundles() {
  const paths = [...exported.map((target) => target.default), ...Object.values(manifest.bin)];
  const names = paths.map((path) => path.replace(/^(\.\/)?dist\//, "").replace(/\.js$/, ""));
  const external = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });
  const build = await rolldown({
    cwd: root,
    input: Object.fromEntries(names.map((name) => [name, join(root, "src", `${name}.ts`)])),
    platform: "node",
    transform: { target: "node20" },
    tsconfig: false,
    external: [/^node:/, ...external.map((name) => new RegExp(`^${name}(/|$)`))],
    plugins: [workerEntries],
  });
  const { output } = await build.generate({
    format: "esm",
    sourcemap: true,
    sourcemapExcludeSources: true,
    entryFileNames: "[name].js",
    chunkFileNames: "chunks/[name]-[hash].js",
  });
  await build.close();
  const foreign = new Set(output.filter(isForeign).map(({ fileName }) => fileName));
  const files = output
    .filter(({ fileName }) => !foreign.has(fileName.replace(/\.map$/, "")) || fileName.endsWith(".js"))
    .map((file) => [file.fileName, textOf(file, foreign)]);
  return [...files, ["THIRD-PARTY-LICENSES.txt", licenses(output)]];
}

/** Tests whether a chunk has code of other packages only: nobody needs source maps of these. */
function isForeign({ moduleIds }) {
  return moduleIds?.every((id) => id.includes("node_modules") || id.startsWith("\0")) ?? false;
}

function textOf({ type, fileName, code, source }, foreign) {
  if (type !== "chunk") return source;
  return foreign.has(fileName) ? code.replace(/^\/\/# sourceMappingURL=.*$/m, "") : code;
}

/** Licences of the packages in the bundles, which have to come with them. */
function licenses(output) {
  const modules = output.flatMap(({ moduleIds = [] }) => moduleIds);
  const names = modules.map((id) => /node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/.exec(id)?.[1]);
  return [...new Set(names)]
    .filter((name) => name !== undefined)
    .toSorted((one, other) => one.localeCompare(other))
    .map((name) => {
      const folder = join(root, "node_modules", name);
      const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
      if (file === undefined) throw new Error(`${name} is bundled, but has no licence file in ${folder}`);
      return `${name}\n\n${readFileSync(join(folder, file), "utf8").trim()}\n`;
    })
    .join(`\n${"-".repeat(80)}\n\n`);
}

/** Declarations of the exports and of whatever they refer to, by their paths in `dist`. */
function declarations() {
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  execFileSync(process.execPath, [compiler, "-p", join(root, "tsconfig.build.json")], { stdio: "inherit" });
  const found = new Map();
  const add = (path) => {
    if (found.has(path)) return;
    const text = readFileSync(join(root, ".cache/types", path), "utf8");
    found.set(path, text);
    for (const [, file] of text.matchAll(/\b(?:from|import) ?\(?"(\.[^"]+)\.js"/g)) {
      add(posix.join(posix.dirname(path), `${file}.d.ts`));
    }
  };
  for (const { types } of exported) add(types.replace("./dist/", ""));
  return found;
}

/** Leaves in `dist` these files and no others. */
function write(files) {
  const present = existsSync(dist) ? readdirSync(dist, { recursive: true, withFileTypes: true }) : [];
  for (const entry of present.filter((each) => each.isFile())) {
    const path = join(entry.parentPath, entry.name);
    if (!files.has(relative(dist, path).replaceAll(sep, "/"))) rmSync(path);
  }
  for (const [name, text] of files) {
    const path = join(dist, name);
    mkdirSync(dirname(path), { recursive: true });
    if (!existsSync(path) || readFileSync(path, "utf8") !== text) writeFileSync(path, text);
  }
}
