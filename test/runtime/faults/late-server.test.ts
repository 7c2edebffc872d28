import { describe, expect, test, vi } from "vitest";
import { controller } from "../../../src/runtime/controller/controller.js";
import { startControllers } from "../../../src/runtime/start/start-controllers.js";
import { toOwner, watch } from "../../../src/runtime/controller/watch.js";
import { differences, Site, sitesController } from "./sites.js";
import { hurried, Onlooker } from "./onlooker.js";
import { startSiteServer } from "./site-server.js";
import { World } from "./world.js";

vi.setConfig({ testTimeout: 60_000 });

const spec = { title: "Hello", pages: 1 };

describe.each([{ led: false }, { led: true }])("with a leader: $led", ({ led }) => {
  const leaderElection = led
    ? ({
        namespace: "default",
        name: "sites",
        leaseDuration: "2s",
        renewDeadline: "1s",
        retryPeriod: "200ms",
      } as const)
    : undefined;

  test("waits for a server that is not running yet", async () => {
    await using home = await startSiteServer();
    await using onlooker = await Onlooker.open(home.direct);
    home.proxy.cutOff("reset");
    const world = new World();
    await using controllers = startControllers({
      controllers: [sitesController(world)],
      client: home.client({ retries: false }),
      ...(led ? { leaderElection } : { clock: hurried }),
    });
    await home.direct.create(Site, { metadata: { name: "early" }, spec });
    home.proxy.reconnect();
    await controllers.ready();
    await onlooker.until(() => differences(new Map([["early", spec]]), onlooker.sites, onlooker.pages));
    expect(world.problems).toEqual([]);
  });

  test("waits for a server whose discovery fails", async () => {
    await using home = await startSiteServer();
    await using onlooker = await Onlooker.open(home.direct);
    const { proxy } = home;
    let refused = 0;
    proxy.plan = ({ path }) =>
      path === "/apis/demo.dev/v1" && ++refused <= 3
        ? { type: "refuse", code: 500, reason: "InternalError" }
        : undefined;
    const follower = controller({
      for: Site,
      // Given by name only: plural and scope come from the server.
      watches: [watch("demo.dev/v1/Page", { to: toOwner(Site) })],
      reconcile: (_, { ready }) => ready("Seen"),
    });
    await using controllers = startControllers({
      controllers: [follower],
      client: home.client({ retries: false }),
      ...(led ? { leaderElection } : { clock: hurried }),
    });
    await home.direct.create(Site, { metadata: { name: "early" }, spec });
    await controllers.ready();
    await onlooker.until(() =>
      onlooker.sites.flatMap(({ status }) =>
        status?.conditions?.[0]?.reason === "Seen" ? [] : ["not seen yet"],
      ),
    );
    expect(refused).toBeGreaterThan(3);
  });

  test("fails for an unknown kind, and reports the reason in the health check", async () => {
    await using home = await startSiteServer();
    const misspelt = controller({
      for: Site,
      watches: [watch("demo.dev/v1/Pgae", { to: toOwner(Site) })],
      reconcile: (_, { ready }) => ready("Seen"),
    });
    await using controllers = startControllers({
      controllers: [misspelt],
      client: home.client(),
      ...(led && { leaderElection }),
    });
    await expect(controllers.ready()).rejects.toThrow("Pgae");
    const { status, checks } = await controllers.health.report("liveness");
    expect(status).toBe("unhealthy");
    expect(checks).toContainEqual(
      expect.objectContaining({ name: "controllers", ok: false, message: expect.stringContaining("Pgae") }),
    );
  });
});
