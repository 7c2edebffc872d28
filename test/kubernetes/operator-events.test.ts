import { expect, test, vi } from "vitest";
import { z } from "zod";
import { createClient } from "../../src/client/create-client.js";
import { ConfigMap } from "../../src/client/kinds/kubernetes.js";
import { loadConnection } from "../../src/client/kubeconfig/load-connection.js";
import { httpTransport } from "../../src/client/transport/http/http-transport.js";
import { subscription } from "../../src/events/subscription.js";
import type { CloudEvent } from "../../src/model/cloud-events/cloud-event.js";
import { resource } from "../../src/model/index.js";
import { operator, type Operator } from "../../src/plane/operator.js";
import { controller } from "../../src/runtime/controller/controller.js";
import { describeWith, kubernetes } from "../components/index.js";

const Sensor = resource("events.demo.dev/v1", "Sensor", {
  spec: z.object({ unit: z.string() }),
  status: z.object({ value: z.int() }),
});

describeWith("events of an operator on Kubernetes", kubernetes, (get) => {
  test("changes and emitted events reach subscriptions and controllers; a gap leads to a resync", async () => {
    const connection = await loadConnection({ kubeconfig: get().kubeconfig });
    await using client = createClient({ transport: httpTransport({ connection }) });
    const seen: CloudEvent[] = [];
    const gaps: string[] = [];
    const audit = subscription({
      name: "audit",
      on: "dev.demo.events.sensor.*",
      durable: true,
      handle: (event) => void seen.push(event),
      onResync: ({ reason }) => gaps.push(reason),
    });
    const begin = (): Promise<Operator> =>
      operator({
        controllers: [
          controller({
            for: Sensor,
            reconcile(_, { report, emit }) {
              report({ value: 7 });
              emit("dev.demo.events.sensor.measured", { value: 7 });
            },
          }),
        ],
        subscriptions: [audit],
        kubeconfig: get().kubeconfig,
        leaderElection: false,
      });
    const types = (): readonly string[] => seen.map(({ type }) => type.split(".").at(-1) ?? "");
    const first = await begin();
    await client.create(Sensor, { metadata: { name: "one" }, spec: { unit: "K" } });
    await vi.waitFor(
      () =>
        expect(new Set(types())).toEqual(
          new Set(["created", "status_updated", "condition_changed", "measured"]),
        ),
      { timeout: 20_000 },
    );
    expect(types()[0]).toBe("created");
    const [created] = seen;
    await first.events.emit({
      type: "dev.demo.events.touched",
      objectkind: "Sensor",
      objectuid: created?.objectuid,
    });
    await vi.waitFor(
      async () => {
        const runs = await first.controllers.runs.find({ kind: Sensor });
        expect(runs.flatMap(({ triggers }) => triggers)).toContainEqual(
          expect.objectContaining({ type: "event", text: "dev.demo.events.touched" }),
        );
      },
      { timeout: 20_000 },
    );
    await first.stop();
    expect((await client.get(ConfigMap, "fettle-subscription-audit")).data?.["position"]).toContain("/");
    await client.create(Sensor, { metadata: { name: "two" }, spec: { unit: "K" } });
    seen.length = 0;
    await using again = await begin();
    await vi.waitFor(
      () => {
        const resynced = seen.filter(({ resync }) => resync).map(({ objectname }) => objectname);
        expect(new Set(resynced)).toEqual(new Set(["one", "two"]));
      },
      { timeout: 20_000 },
    );
    expect(gaps.length).toBe(1);
    await vi.waitFor(() =>
      expect(again.events.subscriptions()).toMatchObject([
        { name: "audit", state: "running", durable: true },
      ]),
    );
  });
});
