import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { describeWith } from "../../../../test/components/describe-with.js";
import { nginx } from "../../../../test/components/services.js";
import { filesOf } from "../contract.js";
import { textFrom, TestProxy } from "./fixtures.js";

/** Names that a killed driver has left in the folders of a class. */
const unfinishedIn = (root: string): string[] =>
  [...readdirSync(root), ...readdirSync(join(root, "generations"))].filter((name) => name.startsWith("."));

describeWith("killing Fettle", { name: nginx.name, obtain: () => nginx.obtain() }, () => {
  async function serving(): Promise<{ proxy: TestProxy; port: number; next: [string, string][] }> {
    const proxy = await TestProxy.open();
    const [port = 0] = await proxy.freePorts(1);
    await proxy.driver.stage(filesOf(proxy.driver, { ports: [port], text: "old" }), "d1");
    await proxy.driver.activate(1);
    await proxy.startNginx();
    await proxy.driver.verify(1, [port], { timeout: 20_000 });
    await proxy.driver.markGood(1);
    return { proxy, port, next: [...filesOf(proxy.driver, { ports: [port], text: "new" })] };
  }

  test.each([
    { failpoint: "files-written", newest: 1, active: 1 },
    { failpoint: "files-renamed", newest: 2, active: 1 },
    { failpoint: "link-created", newest: 2, active: 1 },
    { failpoint: "link-moved", newest: 2, active: 2 },
  ])(
    "$failpoint: the active configuration is $active, and complete",
    async ({ failpoint, newest, active }) => {
      const { proxy, port, next } = await serving();
      await using _proxy = proxy;
      const steps = [
        ["stage", next, "d2"],
        ["activate", 2],
      ];
      expect(await proxy.run(steps, failpoint)).toEqual({ signal: "SIGKILL", errors: "" });
      await proxy.reopen();
      const state = await proxy.driver.inspect();
      expect(state).toMatchObject({
        active: { number: active },
        good: { number: 1 },
        newest,
        served: 1,
        edited: [],
      });
      expect(unfinishedIn(proxy.root)).toEqual([]);
      // The next instance can go on with what is there, and nginx can be started with it.
      await proxy.killNginx();
      await proxy.startNginx();
      await proxy.driver.verify(active, [port], { timeout: 20_000 });
      expect(await textFrom(port)).toBe(active === 1 ? "old" : "new");
      expect(await proxy.driver.stage(new Map(next), "d3")).toBe(newest + 1);
    },
  );

  test("while generations are pruned: each of those that remain is complete", async () => {
    const { proxy, next } = await serving();
    await using _proxy = proxy;
    for (let count = 0; count < 8; count++) await proxy.driver.stage(new Map(next), "d2");
    expect((await proxy.run([["prune", undefined]], "pruned-renamed")).signal).toBe("SIGKILL");
    await proxy.reopen();
    expect(unfinishedIn(proxy.root)).toEqual([]);
    const numbers = readdirSync(join(proxy.root, "generations")).map(Number);
    expect(numbers).toHaveLength(8);
    for (const number of numbers) expect((await proxy.driver.read(number))?.size).toBe(2);
    await proxy.driver.prune();
    expect(readdirSync(join(proxy.root, "generations"))).toHaveLength(6);
  });
});
