import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, expect, test } from "vitest";

/** The drawing of ARCHITECTURE.md, written down once more: lint must agree with it for every pair of layers. */
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
