import { describe, expect, test } from "vitest";
import { controller, type ControllerOptions } from "../../src/runtime/controller/controller.js";
import { changed } from "../../src/runtime/controller/predicates.js";
import { startControllers } from "../../src/runtime/start/start-controllers.js";
import { describeHomes } from "./homes/describe-homes.js";
import { Site } from "./kinds.js";
import { condition, followRuns } from "./test-plane.js";

const finalizer = "fettle.dev/sites.demo.dev";
type Options = ControllerOptions<typeof Site, readonly [], never>;

describeHomes(({ newClock, startTestApi, startTestPlane }) => {
  async function start(options: Pick<Options, "reconcile"> & Partial<Options>) {
    const clock = newClock();
    const sites = controller({ for: Site, resync: false, ...options });
    const plane = await startTestPlane([Site], { controllers: [sites], clock });
    return Object.assign(plane, { clock });
  }

  test("adds the finalizer before any effect, and removes it after cleanup", async () => {
    const seen: unknown[] = [];
    await using plane = await start({
      async reconcile(_, { client }) {
        seen.push((await client.get(Site, "hello")).metadata.finalizers);
      },
      async cleanup(site, { client, step }) {
        await step("unpublish", async () => {
          seen.push((await client.get(Site, site.name)).metadata.finalizers);
        });
      },
    });
    const { client, run, until } = plane;
    await client.create(Site, { metadata: { name: "hello", finalizers: ["demo.dev/theirs"] }, spec: {} });
    await run();
    await client.delete(Site, "hello");
    const gone = await run(({ steps }) => steps.length > 0);
    expect(gone.outcome).toEqual({ type: "gone" });
    expect(seen.at(0)).toEqual(["demo.dev/theirs", finalizer]);
    expect(seen.at(-1)).toEqual(["demo.dev/theirs", finalizer]);
    expect((await client.get(Site, "hello")).metadata.finalizers).toEqual(["demo.dev/theirs"]);
    await client.patch(Site, "hello", { metadata: { finalizers: [] } });
    await until(Site, "hello", (site) => site === undefined);
  });

  test("runs cleanup also when the predicate ignores deletions", async () => {
    await using plane = await start({
      where: changed.labels,
      reconcile() {},
      cleanup: (_, { step }) => step("unpublish", () => {}),
    });
    const { client, run, until } = plane;
    await client.create(Site, { metadata: { name: "hello" }, spec: {} });
    await run();
    await client.delete(Site, "hello");
    expect((await run(({ steps }) => steps.length > 0)).outcome).toEqual({ type: "gone" });
    await until(Site, "hello", (site) => site === undefined);
  });

  test("without cleanup adds no finalizer, and removes a stale one of its own", async () => {
    await using plane = await start({ reconcile() {} });
    const { client, run, until } = plane;
    await client.create(Site, { metadata: { name: "new" }, spec: {} });
    await run();
    expect((await client.get(Site, "new")).metadata.finalizers).toBeUndefined();
    // As an earlier version of the controller with cleanup left it.
    await client.create(Site, {
      metadata: { name: "old", finalizers: ["demo.dev/theirs", finalizer] },
      spec: {},
    });
    await until(Site, "old", (site) => site?.metadata.finalizers?.join() === "demo.dev/theirs");
  });

  test("removes a stale finalizer also from an object that is being deleted", async () => {
    await using api = await startTestApi([Site]);
    await api.client.create(Site, { metadata: { name: "old", finalizers: [finalizer] }, spec: {} });
    await api.client.delete(Site, "old");
    const sites = controller({ for: Site, reconcile: () => expect.fail("it must not run") });
    await using controllers = startControllers({ controllers: [sites], client: api.client });
    await controllers.ready();
    await api.until(Site, "old", (site) => site === undefined);
  });

  test("does not clean up an object that was deleted before its first run", async () => {
    await using api = await startTestApi([Site]);
    await api.client.create(Site, { metadata: { name: "hello", finalizers: ["demo.dev/theirs"] }, spec: {} });
    await api.client.delete(Site, "hello");
    const sites = controller({
      for: Site,
      reconcile: () => expect.fail("it must not run"),
      cleanup: () => expect.fail("nor this"),
    });
    await using controllers = startControllers({ controllers: [sites], client: api.client });
    const run = followRuns(controllers);
    expect((await run()).outcome).toEqual({ type: "gone" });
    expect((await api.client.get(Site, "hello")).metadata.finalizers).toEqual(["demo.dev/theirs"]);
  });

  describe("keeps the object until cleanup succeeds", () => {
    test.each<[string, NonNullable<Options["cleanup"]>, object]>([
      ["wait", (_, { wait }) => wait("Busy", "still in use"), { status: "False", reason: "Busy" }],
      [
        "requeue",
        (_, { requeue }) => requeue("1m", "still in use"),
        { status: "False", reason: "CleaningUp" },
      ],
      ["fail", (_, { fail }) => fail("Stuck", "cannot be removed"), { status: "False", reason: "Stuck" }],
      [
        "a throw",
        () => {
          throw new Error("no");
        },
        { status: "False", reason: "Error", message: "no" },
      ],
    ])("%s", async (_, end, ready) => {
      let works = false;
      await using plane = await start({
        backoff: { base: "1h", max: "1h" },
        reconcile() {},
        cleanup: (site, words) => (works ? undefined : end(site, words)),
      });
      const { client, run, until, controllers } = plane;
      await client.create(Site, { metadata: { name: "hello" }, spec: {} });
      await run();
      await client.delete(Site, "hello");
      await run(({ generation }) => generation === 2);
      const site = await client.get(Site, "hello");
      expect(site.metadata.finalizers).toEqual([finalizer]);
      expect(condition(site, "Ready")).toMatchObject(ready);
      works = true;
      controllers.enqueue(Site, "hello", { reason: "it is free now" });
      await until(Site, "hello", (found) => found === undefined);
    });
  });

  test("rejects an invalid name of a finalizer where it is given", () => {
    const long = `${"very-".repeat(15)}long.demo.dev`;
    expect(() => controller({ for: Site, name: long, reconcile() {}, cleanup() {} })).toThrow(
      /is not a valid finalizer: .*set finalizer:/,
    );
    controller({ for: Site, name: long, reconcile() {} });
    controller({ for: Site, name: long, finalizer: "demo.dev/sites", reconcile() {}, cleanup() {} });
  });
});
