import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, expect, test } from "vitest";

/** Layers as in ARCHITECTURE.md, written a second time: lint must agree for every pair of layers. */
const mayImport: Record<string, readonly string[]> = {
  model: [],
  store: ["model"],
  server: ["model", "store"],
  client: ["model"],
  runtime: ["model", "client"],
  events: ["model", "client", "runtime"],
  plane: ["model", "store", "server", "client", "runtime", "events"],
  testing: ["model", "store", "server", "client", "runtime", "events", "plane"],
  cli: ["model", "store", "server", "client", "runtime", "events", "plane"],
};

const config = (await import(resolve("oxlint.config.mjs"))) as {
  readonly folders: Readonly<Record<string, readonly string[]>>;
  readonly nestedFolders: Readonly<Record<string, readonly string[]>>;
};
const folders = Object.entries({ ...config.folders, ...config.nestedFolders });

/** Folders in a folder, except those with code for tests only. */
function foldersIn(path: string): readonly string[] {
  return readdirSync(path, { withFileTypes: true })
    .filter((each) => each.isDirectory() && !["fixtures", "scenarios"].includes(each.name))
    .map(({ name }) => name);
}

const place = mkdtempSync(join(tmpdir(), "fettle-layers-"));
afterAll(() => rmSync(place, { recursive: true }));

function lint(files: Record<string, string>): string {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(place, path, ".."), { recursive: true });
    writeFileSync(join(place, path), text);
  }
  copyFileSync("oxlint.config.mjs", join(place, "oxlint.config.mjs"));
  const programs = resolve("node_modules/.bin");
  const { stdout, stderr } = spawnSync("oxlint", ["-c", "oxlint.config.mjs", "--format", "unix", "src"], {
    cwd: place,
    encoding: "utf8",
    env: { ...process.env, PATH: `${programs}:${process.env["PATH"]}` },
  });
  return stdout + stderr;
}

test("a forbidden import fails lint, an allowed one does not", () => {
  const layers = Object.keys(mayImport);
  const files: Record<string, string> = {};
  for (const layer of layers) {
    for (const other of layers) {
      if (other === layer) continue;
      files[`src/${layer}/imports-${other}.ts`] = `import "../${other}/thing.js";\n`;
      files[`src/${layer}/deep/imports-${other}.ts`] = `import "../../${other}/deep/thing.js";\n`;
    }
  }
  const report = lint(files);
  for (const path of Object.keys(files)) {
    const [, layer = "", other = ""] = /^src\/(\w+)\/(?:deep\/)?imports-(\w+)\.ts$/.exec(path) ?? [];
    const refused = report.includes(`${path}:`);
    expect(refused, `${path} in:\n${report}`).toBe(!mayImport[layer]?.includes(other));
  }
});

test.each(folders)("the folder order of %s names every folder", (parent, order) => {
  expect(new Set(order.filter((folder) => folder !== "."))).toEqual(new Set(foldersIn(`src/${parent}`)));
});

test("all layers, and all folders with several folders inside, have an order", () => {
  const withSeveral = (path: string): readonly string[] => {
    const inside = foldersIn(path);
    const below = inside.flatMap((folder) => withSeveral(`${path}/${folder}`));
    return inside.length > 1 ? [path.slice("src/".length), ...below] : below;
  };
  const ordered = folders.map(([parent]) => parent).toSorted();
  expect(ordered).toEqual(withSeveral("src").slice(1).toSorted());
});

test("a folder may import only from lower folders of its layer", { timeout: 120_000 }, () => {
  const files: Record<string, boolean> = {};
  const contents: Record<string, string> = {};
  const add = (path: string, target: string, allowed: boolean): void => {
    contents[path] = `import type { Thing } from "${target}";\nexport type Imported = Thing;\n`;
    files[path] = allowed;
  };
  for (const [layer, order] of folders) {
    const isRootFree = order.includes(".") || layer in config.nestedFolders;
    for (const [place, folder] of order.entries()) {
      if (folder === ".") continue;
      for (const [otherPlace, other] of order.entries()) {
        if (folder === other || other === ".") continue;
        add(`src/${layer}/${folder}/uses-${other}.ts`, `../${other}/thing.js`, otherPlace < place);
        add(`src/${layer}/${folder}/sub/uses-${other}.ts`, `../../${other}/sub/thing.js`, otherPlace < place);
        // A nested folder may have the name of one of the layer's.
        add(`src/${layer}/${folder}/sub/uses-nested-${other}.ts`, `../${other}/thing.js`, true);
      }
      add(`src/${layer}/${folder}/uses-root.ts`, "../thing.js", isRootFree);
      add(`src/${layer}/${folder}/uses-index.ts`, "../index.js", false);
      add(`src/${layer}/${folder}/fixtures/uses-root.ts`, "../../thing.js", true);
      add(`src/${layer}/${folder}/sub/uses-root.ts`, "../../thing.js", isRootFree);
      add(`src/${layer}/uses-${folder}.ts`, `./${folder}/thing.js`, true);
    }
  }
  const report = lint(contents);
  const refused = Object.keys(files).filter((path) => report.includes(`${path}:`));
  expect(refused).toEqual(Object.keys(files).filter((path) => files[path] === false));
});

test("the layer rule applies in ordered folders as well", () => {
  const report = lint({ "src/runtime/log/uses-server.ts": 'import "../../server/thing.js";\n' });
  expect(report).toContain("src/runtime/log/uses-server.ts:");
});

test("every way to import counts", () => {
  const report = lint({
    "src/client/lazy.ts": 'export const lazy = () => import("../server/thing.js");\n',
    "src/client/types.ts": 'export type { Thing } from "../server/thing.js";\n',
    "src/client/again.ts": 'export * from "../server/thing.js";\n',
    "src/client/facade.ts": 'import "fettle";\n',
  });
  for (const file of ["lazy", "types", "again", "facade"]) expect(report).toContain(`src/client/${file}.ts:`);
});

test("the model imports nothing of Node and takes time and chance as parameters", () => {
  const report = lint({
    "src/model/reads.ts": 'import { readFileSync } from "node:fs";\nexport const read = readFileSync;\n',
    "src/model/now.ts": "export const now = Date.now();\n",
    "src/model/chance.ts": "export const chance = Math.random();\n",
    "src/model/waits.ts": "export const wait = setTimeout;\n",
  });
  for (const file of ["reads", "now", "chance", "waits"]) expect(report).toContain(`src/model/${file}.ts:`);
});
