import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { projectFiles } from "../../src/cli/templates/project.js";
import { folderWith } from "../cli/folder.js";
import { fettle } from "../cli/fettle-process.js";

const repository = resolve(import.meta.dirname, "../..");
const run = promisify(execFile);

interface Manifest {
  readonly scripts: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string | { readonly types: string; readonly default: string }>>;
}
const manifest = JSON.parse(readFileSync(resolve(repository, "package.json"), "utf8")) as Manifest;

interface SourceMap {
  readonly sources: readonly string[];
}

/** Node in a folder where `fettle` is installed. */
async function evaluate(code: string, flags: readonly string[] = []): Promise<string> {
  const folder = await folderWith({ "main.mjs": code });
  const { stdout } = await run(process.execPath, [...flags, "main.mjs"], { cwd: folder });
  return stdout;
}

test("the package holds bundles with their licences, source maps, declarations and documents, and nothing else", async () => {
  const { stdout } = await run("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
    cwd: repository,
    maxBuffer: 2 ** 26,
  });
  const [{ files }] = JSON.parse(stdout) as [{ readonly files: readonly { readonly path: string }[] }];
  const paths = files.map(({ path }) => path);
  const documents = ["CHANGELOG.md", "LICENSE", "README.md", "package.json"];
  expect(paths.filter((path) => !path.startsWith("dist/")).toSorted()).toEqual(documents);
  const expected =
    /^dist\/(([\w-]+\/)*[\w-]+\.(js|js\.map|d\.ts)|chunks\/[\w.-]+\.js(\.map)?|THIRD-PARTY-LICENSES\.txt)$/;
  const unwanted =
    /(^|\/)fixtures\/|\.test\b|test-d\b|tsbuildinfo|^dist\/cli\/(commands|main|program|run|up)\b.*\.d\.ts$/;
  expect(
    paths.filter((path) => path.startsWith("dist/") && (!expected.test(path) || unwanted.test(path))),
  ).toEqual([]);
  // A map of other packages' code would lead to no source of ours.
  const maps = paths.filter((path) => path.endsWith(".js.map"));
  expect(maps.length).toBeGreaterThan(50);
  const sources = maps.map(
    (path) => JSON.parse(readFileSync(resolve(repository, path), "utf8")) as SourceMap,
  );
  expect(sources.filter(({ sources }) => !sources.some((source) => source.includes("src/")))).toEqual([]);
  const exported = Object.values(manifest.exports).flatMap((target) =>
    typeof target === "string" ? [target] : [target.types, target.default],
  );
  expect(paths).toEqual(expect.arrayContaining(exported.map((path) => path.replace("./", ""))));
});

/** Names of packages in the imports of a declaration file. */
const imported = /^(?:import|export)\b[^;]*? from "((?:@[^/"]+\/)?[^./"][^/"]*)/gm;

test("declarations refer to no package that users do not have", () => {
  const used = readdirSync(resolve(repository, "dist"), { recursive: true, withFileTypes: true })
    .filter(({ name }) => name.endsWith(".d.ts"))
    .map(({ parentPath, name }) => readFileSync(resolve(parentPath, name), "utf8"))
    .flatMap((text) => Array.from(text.matchAll(imported), ([, name]) => name))
    .filter((name) => !name?.startsWith("node:"));
  const installed = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });
  expect(used.length).toBeGreaterThan(0);
  expect([...new Set(used)].filter((name) => !installed.includes(name ?? ""))).toEqual([]);
});

describe("npm scripts need no shell", () => {
  const project = projectFiles({
    name: "greeter",
    group: "demo.dev",
    versions: { fettle: "1.0.0", zod: "4.0.0", typescript: "5.0.0", "@types/node": "20.0.0" },
  });
  const made = JSON.parse(project["package.json"] ?? "") as Manifest;
  const scripts = [
    ...Object.entries(manifest.scripts),
    ...Object.entries(made.scripts).map(([name, line]) => [`${name} of a new project`, line] as const),
  ];
  test.each(scripts)("%s: %s", (_, line) => {
    expect(line).not.toMatch(/[&|;<>$`*?'"\\]|^\w+=|\b(rm|cp|mv|mkdir|cat|export)\b/);
  });
});

describe("the entry points", () => {
  test("share one copy of every module", async () => {
    const out = await evaluate(`
      import * as facade from "fettle";
      const paths = ["model", "store", "client", "runtime", "plane", "server", "testing"];
      const others = await Promise.all(paths.map((path) => import("fettle/" + path)));
      for (const [index, other] of others.entries()) {
        const shared = Object.keys(facade).filter((name) => name in other);
        const same = shared.filter((name) => facade[name] === other[name]);
        console.log(paths[index], shared.length === same.length, shared.length > 0);
      }
    `);
    for (const path of ["model", "store", "client", "runtime", "plane"]) {
      expect(out).toContain(`${path} true true\n`);
    }
    expect(out).not.toContain("false true");
  });

  test("are the ones that fettle up itself runs, for TypeScript modules as for JavaScript modules", async () => {
    // The error comes from the server that the command has started; the class comes from the module's own import.
    const module = `
      import { ApiError, controller, isNotFound, resource } from "fettle";
      import { ApiError as modelError } from "fettle/model";
      import { z } from "zod";
      export const Probe = resource("demo.dev/v1", "Probe", { spec: z.object({ a: z.string() }) });
      export const probes = controller({
        for: Probe,
        async reconcile(_, { client }) {
          const error = await client.get(Probe, "missing").catch((error) => error);
          const facts = [error instanceof ApiError, ApiError === modelError, isNotFound(error)];
          console.log("identity", ...facts);
        },
      });
    `;
    const object = "apiVersion: demo.dev/v1\nkind: Probe\nmetadata: { name: probe }\nspec: { a: b }\n";
    for (const name of ["probe.ts", "probe.mjs"]) {
      const cwd = await folderWith({ [name]: module, "probe.yaml": object });
      const up = fettle(["up", "--port", "0", "--store", "memory", name, "probe.yaml"], { cwd });
      await up.says(/identity/);
      expect(up.out()).toContain("identity true true true");
      up.process.kill("SIGTERM");
      await up.ended;
    }
  });

  test("map stack traces to the sources under --enable-source-maps", async () => {
    const code = `
      import { duration } from "fettle";
      try { duration("soon"); } catch (error) { console.log(error.stack); }
    `;
    expect(await evaluate(code, ["--enable-source-maps"])).toMatch(/src\/model\/time\/duration\.ts:\d+:\d+/);
  });
});
