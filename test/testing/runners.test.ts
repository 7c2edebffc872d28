import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { folderWith } from "../cli/folder.js";
import { describeWith } from "../components/index.js";
import { jest } from "../components/jest.js";
import { obtain } from "../components/machine/program.js";

const run = promisify(execFile);

/** Files of a user's project; each test adds its runner. */
const project = {
  "package.json": JSON.stringify({ type: "module" }),
  "sites.js": `
    import { z } from "zod";
    import { controller, resource } from "fettle";
    export const Site = resource("demo.dev/v1", "Site", { spec: z.object({ pages: z.int() }) });
    export const Page = resource("demo.dev/v1", "Page", { spec: z.object({ html: z.string() }) });
    export const sites = controller({
      for: Site,
      owns: [Page],
      reconcile(site, { ensure, requeue }) {
        for (let page = 1; page <= site.spec.pages; page++) ensure(Page, \`\${site.name}-\${page}\`, { html: "x" });
        return requeue("12h", "look again");
      },
    });
  `,
  "lifecycle.js": `
    import { fakeClient, perturb, testPlane } from "fettle/testing";
    import { Page, Site, sites } from "./sites.js";
    const draft = { metadata: { name: "hello" }, spec: { pages: 2 } };
    export async function facts() {
      const plane = await testPlane({ controllers: [sites] });
      await plane.client.create(Site, draft);
      await plane.settled();
      const pages = (await plane.client.list(Page)).items.length;
      const before = (await plane.runs(Site, "hello")).length;
      await plane.advance("1d");
      const looks = (await plane.runs(Site, "hello")).length - before;
      await plane[Symbol.asyncDispose]();
      const client = await fakeClient({ kinds: [Site] });
      const refused = await client.create(Site, { ...draft, spec: { pages: "two" } }).catch((error) => error);
      await client[Symbol.asyncDispose]();
      const workload = async ({ client, settled }) => {
        await client.create(Site, draft);
        await settled();
      };
      const { failures } = await perturb({ controllers: () => [sites], workload }, { limit: 5 });
      return { pages, looks, refused: refused instanceof Error && refused.code, failures };
    }
  `,
};
const expected = JSON.stringify({ pages: 2, looks: 2, refused: 422, failures: [] });

test("fettle/testing works with node:test", async () => {
  const cwd = await folderWith({
    ...project,
    "sites.test.js": `
      import assert from "node:assert/strict";
      import { test } from "node:test";
      import { facts } from "./lifecycle.js";
      test("a site gets its pages", async () => assert.deepEqual(await facts(), ${expected}));
    `,
  });
  const { stdout } = await run(process.execPath, ["--test", "--test-reporter", "tap", "sites.test.js"], {
    cwd,
    env: { PATH: process.env["PATH"] },
  });
  expect(stdout).toContain("# pass 1\n");
}, 120_000);

describeWith("Jest", { name: "jest", obtain: () => obtain(jest) }, () => {
  test("fettle/testing works with it", async () => {
    const cwd = await folderWith({
      ...project,
      "jest.config.js": "export default { transform: {} };",
      "sites.test.js": `
        import { facts } from "./lifecycle.js";
        test("a site gets its pages", async () => expect(await facts()).toEqual(${expected}), 60_000);
      `,
    });
    const program = await obtain(jest);
    const { stderr } = await run(process.execPath, ["--experimental-vm-modules", program, "--ci"], {
      cwd,
      env: { PATH: process.env["PATH"] },
    });
    expect(stderr).toMatch(/^Tests: +1 passed, 1 total$/m);
    // It ended by itself: nothing was left open.
    expect(stderr).not.toContain("did not exit");
  }, 120_000);
});
