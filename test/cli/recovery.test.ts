import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { BreakerList, QueueList } from "../../src/plane/management/contract.js";
import type { ControlPlane } from "../../src/plane/control-plane.js";
import { startSitePlane, type SitePlane } from "./site-plane.js";

let world: SitePlane;
let plane: ControlPlane;
const fettle: SitePlane["fettle"] = (...line) => world.fettle(...line);

beforeAll(async () => {
  world = await startSitePlane();
  ({ plane } = world);
});

afterAll(() => world[Symbol.asyncDispose]());

describe("backoff", () => {
  test("of a failed object is shown, and reset by a retry", async () => {
    await world.site("broken", { title: "broken" });
    const { out } = await fettle("queue site");
    expect(out).toMatch(
      /^Site default\/broken +sites\.demo\.dev +retry 1 +1 +in \d+m\d*s? .*the printer is on fire/m,
    );
    expect((await fettle("why site/broken")).out).toMatch(
      /sites\.demo\.dev: attempt 2 in \d+m\d*s? \(.*Z\), after one failure; retry it now with: fettle retry site\/broken$/m,
    );
    await fettle("enqueue site/broken", { reason: "again" });
    await world.reached(({ key, failures }) => key === "default/broken" && failures === 1);
    await plane.controllers.idle();
    const { objects } = JSON.parse(
      (await fettle("queue", { failed: true, output: "json" })).out,
    ) as QueueList;
    expect(objects).toMatchObject([{ key: "default/broken", state: "delayed", failures: 2 }]);
    await fettle("retry site/broken", { reason: "reset" });
    await world.reached(
      ({ triggers, failures }) => failures === 0 && triggers.some(({ text }) => text === "reset"),
    );
    await plane.controllers.idle();
    expect((await fettle("queue --failed")).out).toMatch(/retry 1 +1 /);
  });

  test("of others does not appear", async () => {
    await world.site("fine", { title: "Fine" });
    expect((await fettle("queue --failed")).out).not.toContain("default/fine");
    expect((await fettle("why site/fine")).out).toMatch(/sites\.demo\.dev: next run in 12h \(/);
    expect((await fettle("queue page")).err).toContain("no controller of this control plane reconciles Page");
    expect((await fettle("queue", { limit: "1" })).err).toContain("More than 1 objects are queued");
  });

  test("a dead letter is given up, and says how to retry it", async () => {
    await world.site("untitled", { title: "" });
    expect((await fettle("why site/untitled")).out).toContain("given up after one failure");
    expect((await fettle("queue site")).out).toMatch(
      /Site default\/untitled .* given up +1 +\d+s ago .*NoTitle/,
    );
  });
});

describe("breakers", () => {
  test("are listed and reset", async () => {
    expect((await fettle("breakers")).out).toBe(
      "no breakers: no call has gone through one since the start\n",
    );
    const gateway = plane.controllers.breakers.get("gateway", { failures: 1 });
    await gateway.run(() => Promise.reject(new Error("no route to host"))).catch(() => {});
    await plane.controllers.breakers.get("db").run(() => "fine");
    expect((await fettle("breakers")).out).toMatch(
      /^NAME +STATE +FAILURES +OPENS AFTER +TRIED AGAIN +FAILED +LAST ERROR\ndb +closed +0 +5 in a row\ngateway +open +0 +1 in a row +in (1m|\d+s) +\d+s ago +no route to host\n$/,
    );
    expect((await fettle("breakers reset gateway")).out).toBe("reset breaker gateway (it was open)\n");
    const { breakers } = JSON.parse((await fettle("breakers", { output: "json" })).out) as BreakerList;
    expect(breakers).toMatchObject([{ name: "db" }, { name: "gateway", state: "closed" }]);
    expect((await fettle("breakers reset", { all: true })).out).toBe(
      "reset breaker db (it was closed)\nreset breaker gateway (it was closed)\n",
    );
  });

  test.each([
    ["breakers reset nope", 1, 'there is no breaker "nope"; the breakers are: db, gateway'],
    ["breakers reset", 2, "missing NAME, or --all"],
    ["breakers open gateway", 2, 'unknown action "open"; use list or reset'],
    ["breakers list gateway", 2, "takes no arguments"],
  ])("%s", async (line, code, err) => {
    expect(await fettle(line)).toMatchObject({ code, err: expect.stringContaining(err) as unknown });
  });
});

describe("a full reconciliation", () => {
  test("enqueues all objects of a kind", async () => {
    await world.site("one", { title: "One" });
    const { out } = await fettle("enqueue site", { all: true, reason: "after the outage" });
    expect(out).toMatch(/^\d+ Site objects will be reconciled by controller sites\.demo\.dev\n$/);
    await world.reached(
      ({ key, triggers }) =>
        key === "default/one" && triggers.some(({ text }) => text === "after the outage"),
    );
    expect((await fettle("why site/one")).out).toContain("after the outage");
  });

  test("of everything", async () => {
    const { out } = await fettle("enqueue", { all: true });
    expect(out).toMatch(/Site objects will be reconciled by controller sites/);
    expect(out).toContain("0 Note objects will be reconciled by controller notes.demo.dev");
    await world.reached(({ triggers }) => triggers.some(({ text }) => text === "full reconciliation"));
  });

  test.each([
    ["enqueue site/hello --all", "--all takes a KIND"],
    ["enqueue site --all --after 5m", "--all cannot be combined with --after"],
    ["enqueue", "missing object"],
  ])("%s", async (line, err) => {
    expect(await fettle(line)).toMatchObject({ code: 2, err: expect.stringContaining(err) as unknown });
  });
});
