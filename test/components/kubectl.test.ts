import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { describeWith, kubectl } from "./index.js";

const run = promisify(execFile);

describeWith("kubectl", kubectl, async () => {
  const versions = await kubectl.versions();

  test.each(versions)("$version reports its own version", async ({ version, path }) => {
    const { stdout } = await run(path, ["version", "--client", "-o", "json"]);
    expect(JSON.parse(stdout)).toMatchObject({ clientVersion: { gitVersion: `v${version}` } });
  });

  test("versions are sorted, without duplicates, and obtain() returns the newest", async () => {
    const minors = versions.map(({ version }) => Number(version.split(".")[1]));
    expect(minors).toEqual([...minors].sort((a, b) => a - b));
    expect(new Set(versions.map(({ version }) => version)).size).toBe(versions.length);
    expect(await kubectl.obtain()).toBe(versions.at(-1));
  });
});
