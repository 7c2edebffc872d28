import { expect } from "vitest";
import { createClient } from "../../../src/client/create-client.js";
import { loadConnection } from "../../../src/client/kubeconfig/load-connection.js";
import { httpTransport } from "../../../src/client/transport/http/http-transport.js";
import { startControllers } from "../../../src/runtime/start/start-controllers.js";
import { ServerProcess } from "../../server/server-process.js";
import { overlapping, unfinished } from "./effects.js";
import { hurried, nextRun, Onlooker } from "./onlooker.js";
import { testWithDice } from "./seed.js";
import { defineKinds } from "./site-server.js";
import { differences, Page, Site, sitesController } from "./sites.js";
import { Workload } from "./workload.js";
import { World } from "./world.js";

/** Number of restarts of the server. */
const restarts = Number(process.env["FETTLE_RESTARTS"] ?? 4);

testWithDice(
  `controllers reconnect to a server that is killed ${restarts} times, and converge`,
  async (dice) => {
    await using server = new ServerProcess();
    await server.up;
    const connection = await loadConnection({ kubeconfig: server.kubeconfig });
    const connect = () =>
      createClient({ transport: httpTransport({ connection, rate: false, retries: { firstDelay: 20 } }) });
    await using client = connect();
    await using watching = connect();
    await using mine = connect();
    await defineKinds(client);
    await using onlooker = await Onlooker.open(watching);
    const world = new World();
    world.takes = () => dice.below(4);
    await using controllers = startControllers({
      controllers: [sitesController(world)],
      client: mine,
      clock: hurried,
      observer: world.observer("the controller"),
    });
    const workload = new Workload(client, dice, () => server.up);
    await controllers.ready();
    for (let round = 0; round < restarts; round++) {
      const stop = 3 + dice.below(10);
      let restarted: () => void = () => {};
      const back = new Promise<void>((resolve) => (restarted = resolve));
      const restart = async (): Promise<void> => {
        // Usually by SIGKILL; on SIGTERM the server ends its watches first.
        await server.stop(dice.chance(0.75) ? "SIGKILL" : "SIGTERM");
        await server.start();
        restarted();
      };
      const working = (async () => {
        for (let turn = 0; turn < 20; turn++) {
          await workload.turn();
          if (turn === stop) void restart();
          if (dice.chance(0.3)) await nextRun(controllers);
        }
      })();
      await Promise.all([working, back]);
    }
    await onlooker.until(
      () => [
        ...differences(workload.expected, onlooker.sites, onlooker.pages),
        ...unfinished(world.effects, onlooker.sites),
      ],
      world,
    );
    // Read from the server, not from the cache.
    const [sites, pages] = [(await client.list(Site)).items, (await client.list(Page)).items];
    expect(differences(workload.expected, sites, pages)).toEqual([]);
    expect(world.problems).toEqual([]);
    expect(overlapping(world.effects)).toEqual([]);
  },
  60_000 + restarts * 5000,
);
