import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { z } from "zod";
import type { Client } from "../../src/client/client.js";
import { createClient } from "../../src/client/create-client.js";
import { CustomResourceDefinition, Lease } from "../../src/client/kinds/kubernetes.js";
import { loadConnection } from "../../src/client/kubeconfig/load-connection.js";
import { httpTransport } from "../../src/client/transport/http/http-transport.js";
import { resource } from "../../src/model/index.js";
import { operator, type Operator } from "../../src/plane/operator.js";
import { controller } from "../../src/runtime/controller/controller.js";
import { fettle } from "../cli/fettle-process.js";
import { describeWith, kubernetes } from "../components/index.js";
import { until } from "../runtime/until.js";

const Lamp = resource("operator.demo.dev/v1", "Lamp", {
  spec: z.object({ color: z.string().default("red"), rooms: z.array(z.string()).optional() }),
  status: z.object({ lit: z.string() }),
});
const module = fileURLToPath(new URL("../../examples/site/index.ts", import.meta.url));

describeWith("an operator on Kubernetes", kubernetes, (get) => {
  const connect = async () => {
    const connection = await loadConnection({ kubeconfig: get().kubeconfig });
    return createClient({ transport: httpTransport({ connection }) });
  };
  /** Starts an operator that lights lamps and records its identity. */
  const begin = (identity: string, kind: typeof Lamp = Lamp): Promise<Operator> =>
    operator({
      controllers: [
        controller({
          for: kind,
          reconcile: (lamp, { report }) => report({ lit: `${lamp.spec.color} by ${identity}` }),
        }),
      ],
      kubeconfig: get().kubeconfig,
      leaderElection: { identity },
      health: { port: 0 },
    });
  const whoAmI = async (client: Client): Promise<{ username: string }> => {
    const kind = { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" };
    const review = await client.transport.create(
      { ...kind, plural: "selfsubjectreviews", scope: "Cluster" },
      {},
      kind,
    );
    return (review.status as { userInfo: { username: string } }).userInfo;
  };
  const bodyOf = async ({ health }: Operator, path: string): Promise<string> => {
    const answer = await fetch(`${health}${path}`);
    return `${answer.status} ${await answer.text()}`;
  };

  test("registers its kinds, reconciles, responds to probes and hands over", async () => {
    await using client = await connect();
    await using first = await begin("first");
    await first.controllers.ready();
    const name = "lamps.operator.demo.dev";
    const definition = await client.get(CustomResourceDefinition, name);
    expect(definition.status?.conditions).toContainEqual(
      expect.objectContaining({ type: "Established", status: "True" }),
    );
    expect(first.lease).toBe(`default/${name}`);
    expect((await client.get(Lease, name)).spec).toMatchObject({ holderIdentity: "first" });
    await client.create(Lamp, { metadata: { name: "hall" }, spec: {} });
    await until(client, Lamp, "hall", (lamp) => lamp?.status?.lit === "red by first");
    await first.controllers.idle();
    const [run] = await first.controllers.runs.find({ key: "default/hall" });
    expect(run?.user).toBe((await whoAmI(client)).username);
    expect(await bodyOf(first, "/readyz")).toMatch(/^200 /);
    expect(await bodyOf(first, "/livez")).toMatch(/^200 /);
    expect(await bodyOf(first, "/metrics")).toContain(
      `controller_runtime_reconcile_total{controller="${name}",result="success"} `,
    );

    await using second = await begin("second");
    expect(second.controllers.isLeader).toBe(false);
    // A standby is ready: a rollout must not wait for it to lead.
    expect(await bodyOf(second, "/readyz")).toMatch(/^200 /);
    await client.patch(Lamp, "hall", { spec: { color: "blue" } });
    await until(client, Lamp, "hall", (lamp) => lamp?.status?.lit === "blue by first");
    expect(await second.controllers.runs.find()).toEqual([]);
    await first.stop();
    await second.controllers.ready();
    expect((await client.get(Lease, name)).spec).toMatchObject({ holderIdentity: "second" });
    await until(client, Lamp, "hall", (lamp) => lamp?.status?.lit === "blue by second");
  });

  test("updates a definition, unless stored objects violate it", async () => {
    await using client = await connect();
    const version = async () =>
      (await client.get(CustomResourceDefinition, "lamps.operator.demo.dev")).metadata.resourceVersion;
    await (await begin("first")).stop();
    const before = await version();
    await (await begin("again")).stop();
    expect(await version()).toBe(before);
    await client.create(Lamp, { metadata: { name: "porch" }, spec: { color: "green" } });

    const changed = <Spec extends z.ZodType>(spec: Spec) =>
      resource("operator.demo.dev/v1", "Lamp", { spec, status: z.object({ lit: z.string() }) });
    const wider = changed(z.object({ color: z.string(), watts: z.int().default(5) }));
    await (await begin("wider", wider)).stop();
    expect(await version()).not.toBe(before);
    // kube-apiserver uses a changed schema after a moment.
    await expect
      .poll(async () => (await client.get(wider, "porch")).spec)
      .toEqual({ color: "green", watts: 5 });
    const narrower = changed(z.object({ color: z.enum(["red"]) }));
    await expect(begin("narrower", narrower as unknown as typeof Lamp)).rejects.toThrow(
      /stored Lamp objects would be invalid:\n.*porch.*color/s,
    );
  });

  test("fettle run, with a kubeconfig", async () => {
    const options = ["--kubeconfig", get().kubeconfig, "--health-port", "0", "--log", "json"];
    const running = fettle(["run", module, ...options]);
    await running.says(/controllers are at work/);
    await using client = await connect();
    await client.create({
      apiVersion: "demo.dev/v1",
      kind: "Site",
      metadata: { name: "hello", namespace: "default" },
      spec: { title: "Hello" },
    });
    await until(client, "demo.dev/v1/Page", "hello-1", (page) => page !== undefined);
    expect((await client.get(Lease, "sites.demo.dev")).spec?.holderIdentity).toBeTruthy();
    const [, health = ""] = /"health":"([^"]+)"/.exec(running.out()) ?? [];
    expect((await fetch(`${health}/readyz`)).status).toBe(200);
    running.process.kill("SIGTERM");
    expect(await running.ended).toBe(0);
    // The lease is released, so that the next process need not wait.
    expect((await client.get(Lease, "sites.demo.dev")).spec?.holderIdentity ?? "").toBe("");
  });
});
