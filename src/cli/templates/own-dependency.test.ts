import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ownDependency } from "./own-dependency.js";
import { ownPackage } from "./own-package.js";

const { version } = ownPackage();
const vendored = `vendor/fettle-${version}.tgz`;
const { signal } = new AbortController();

let root: string;
beforeEach(async () => (root = await mkdtemp(join(tmpdir(), "fettle-own-"))));
afterEach(() => rm(root, { recursive: true, force: true }));

/** Creates a package, as npm leaves it, in a folder below the root. */
async function packageIn(...path: readonly string[]): Promise<string> {
  const folder = join(root, ...path);
  await mkdir(folder, { recursive: true });
  // An installed package still names its scripts, but does not have their files.
  const scripts = { prepack: "node scripts/missing.mjs", prepare: "node scripts/missing.mjs" };
  await writeFile(join(folder, "package.json"), JSON.stringify({ name: "fettle", version, scripts }));
  await writeFile(join(folder, "index.js"), "export {};\n");
  return folder;
}

async function installedAs(spec: string, field = "dependencies") {
  const folder = await packageIn("project", "node_modules", "fettle");
  await writeFile(join(root, "project", "package.json"), JSON.stringify({ [field]: { fettle: spec } }));
  return ownDependency(signal, folder);
}

describe("a new project depends on", () => {
  test.each(["0.1.0", "^0.1.0", ">=0.1.0 <1", "latest", "*"])(
    "the exact version, if this one was installed from a registry as %s",
    async (spec) => {
      expect(await installedAs(spec)).toEqual({ spec: version, files: {} });
      expect(await installedAs(spec, "devDependencies")).toEqual({ spec: version, files: {} });
    },
  );

  test("the same URL of a tarball", async () => {
    const spec = "https://example.com/releases/fettle-0.1.0.tgz?signed=1";
    expect(await installedAs(spec)).toEqual({ spec, files: {} });
  });

  test.each([
    "file:../fettle-0.1.0.tgz",
    "file:../fettle",
    "git+https://example.com/fettle.git#v1",
    "git+ssh://git@example.com/fettle.git",
    "git+file:///home/ada/fettle",
    "example/fettle",
    "workspace:*",
  ])("a tarball in the project, if this one was installed as %s", async (spec) => {
    expect(await installedAs(spec)).toMatchObject({ spec: `file:${vendored}`, tarball: vendored });
  });

  test("a tarball with the files of a clone, without a build", async () => {
    const { spec, files } = await ownDependency(signal, await packageIn("clone"));
    expect(spec).toBe(`file:${vendored}`);
    await writeFile(join(root, "packed.tgz"), files[vendored] ?? "");
    const { stdout } = await promisify(execFile)("tar", ["-tzf", "packed.tgz"], { cwd: root });
    expect(stdout.trim().split("\n").toSorted()).toEqual(["package/index.js", "package/package.json"]);
  });

  test("a tarball, if this one is installed globally, where npm records no origin", async () => {
    const folder = await packageIn("lib", "node_modules", "fettle");
    expect(await ownDependency(signal, folder)).toMatchObject({ spec: `file:${vendored}` });
  });
});

test("a package that cannot be packed is reported with its folder", async () => {
  const folder = await packageIn("broken");
  await writeFile(join(folder, "package.json"), "{");
  await expect(ownDependency(signal, folder)).rejects.toThrow(
    /nothing was written: npm pack failed in .*broken/,
  );
});
