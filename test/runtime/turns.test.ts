import { expect, test } from "vitest";
import { controller } from "../../src/runtime/controller/controller.js";
import { plainController } from "../../src/runtime/controller/plain.js";
import { startControllers } from "../../src/runtime/start/start-controllers.js";
import { describeHomes } from "./homes/describe-homes.js";
import { Site } from "./kinds.js";

describeHomes(({ startTestApi, startTestPlane }) => {
  test("consecutive runs without a delay yield to the event loop", async () => {
    await using api = await startTestApi([Site]);
    let runs = 0;
    const sites = controller({
      for: Site,
      reconcile(_, { requeue }) {
        runs++;
        return requeue(0);
      },
    });
    await using controllers = startControllers({ controllers: [sites], client: api.client });
    await controllers.ready();
    await api.client.create(Site, { metadata: { name: "hello" }, spec: {} });
    // Otherwise this would never resolve.
    while (runs < 1000) await new Promise((resolve) => setTimeout(resolve, 1));
    await controllers.stop();
    const stopped = runs;
    await new Promise(setImmediate);
    expect(runs).toBe(stopped);
  });

  test("a plain reconciler that returns a delay of 0 is not requeued", async () => {
    const sites = plainController({ for: Site, resync: false, reconcile: () => ({ requeueAfter: 0 }) });
    await using plane = await startTestPlane([Site], { controllers: [sites] });
    await plane.client.create(Site, { metadata: { name: "hello" }, spec: {} });
    expect((await plane.run()).outcome).toEqual({ type: "done" });
    await plane.controllers.idle();
  });
});
