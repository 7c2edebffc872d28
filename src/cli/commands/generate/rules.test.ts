import { afterEach, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { createClient } from "../../../client/create-client.js";
import { ConfigMap } from "../../../client/kinds/kubernetes.js";
import type { KindInfo } from "../../../client/kinds/kind.js";
import type { Transport } from "../../../client/transport/transport.js";
import { customResourceDefinition, failures, parseApiVersion, resource } from "../../../model/index.js";
import { inProcess } from "../../../plane/in-process.js";
import { controller, type Controller } from "../../../runtime/controller/controller.js";
import { startControllers } from "../../../runtime/start/start-controllers.js";
import { toAll, watch } from "../../../runtime/controller/watch.js";
import { startApi, type Api } from "../../../server/index.js";
import { MemoryStore } from "../../../store/index.js";
import { leaseRules, rulesOf, shardRules, type Rule } from "./rules.js";

const Site = resource("demo.dev/v1", "Site", {
  spec: z.object({ title: z.string() }),
  status: z.object({ title: z.string() }),
});
const Theme = resource("demo.dev/v1", "Theme", { spec: z.object({ color: z.string() }) });

const sites = controller({
  for: Site,
  owns: [ConfigMap],
  watches: [watch(Theme, { to: toAll })],
  async reconcile(site, { ensure, report, ready, recordEvent, readAll, flush }) {
    const color = readAll(Theme)[0]?.spec.color ?? "none";
    // Sites with an odd number of letters have a child.
    if (site.spec.title.length % 2 === 1)
      ensure(ConfigMap, site.name, { data: { title: site.spec.title, color } });
    await flush();
    recordEvent("Published", "it is there");
    report({ title: site.spec.title });
    ready("Published");
  },
  cleanup(_site, { recordEvent }) {
    recordEvent("Removed", "it is gone");
  },
});

let store: MemoryStore;
let api: Api;
beforeEach(async () => {
  store = new MemoryStore();
  api = await startApi({ store });
});
afterEach(async () => {
  await api.close();
  await store.close();
});

const lease = { name: "sites", namespace: "default" };

test.each([
  { how: "alone", ways: { leaderElection: lease }, leases: leaseRules },
  { how: "together", ways: { sharding: lease }, leases: shardRules },
])(
  "controllers can do all their work $how with the rights they are given, and use each of them",
  async ({ ways, leases }) => {
    const rules = [...rulesOf([sites], []), ...leases];
    const admin = createClient({ transport: inProcess(api) });
    for (const kind of [Site, Theme]) await admin.create(customResourceDefinition(kind) as never);
    const used = new Set<string>();
    const refused: string[] = [];
    const guard = guarded(inProcess(api), rules, used, refused);
    const client = createClient({ transport: guard });
    await using running = startControllers({ controllers: [sites], client, ...ways });
    await running.ready();

    const site = (name: string, title: string) => admin.create(Site, { metadata: { name }, spec: { title } });
    const until = async (title: string) => {
      for await (const { object } of admin.watch(Site)) if (object.status?.title === title) return;
    };
    await site("one", "odd");
    await until("odd");
    await admin.create(Theme, { metadata: { name: "dark" }, spec: { color: "black" } });
    for await (const { object } of admin.watch(ConfigMap)) {
      if ((object.data as { color?: string } | undefined)?.color === "black") break;
    }
    await admin.patch(Site, "one", { spec: { title: "even" } });
    await until("even");
    await admin.delete(Site, "one");
    await running.stop();
    expect(refused).toEqual([]);
    // Permissions that no request of this test needs: lists on older servers, reads after a conflict, and clusters that
    // enforce permissions on owner references.
    const rarely = /^(get|list) (configmaps|sites|themes)$|^update sites\/finalizers$|^patch events$/;
    const unused = rules
      .flatMap(({ resources, verbs }) =>
        resources.flatMap((resource) => verbs.map((verb) => `${verb} ${resource}`)),
      )
      .filter((right) => !used.has(right) && !rarely.test(right));
    expect(unused).toEqual([]);
  },
);

test("kinds given by name and kinds of several controllers get one rule each", () => {
  const named: Controller = controller({
    for: Theme,
    watches: [
      watch("networking.k8s.io/v1/NetworkPolicy", { to: toAll }),
      watch("demo.dev/v2/Gateway", { to: toAll }),
    ],
    reconcile: () => undefined,
  });
  const text = rulesOf([sites, named], ["sites.demo.dev"]).map(
    ({ apiGroups, resources, verbs }) => `${apiGroups.join()} ${resources.join()} ${verbs.join()}`,
  );
  expect(text).toContain("networking.k8s.io networkpolicies get,list,watch");
  expect(text).toContain("demo.dev gateways get,list,watch");
  expect(text.filter((line) => line.startsWith("demo.dev themes "))).toEqual([
    "demo.dev themes get,list,watch",
  ]);
});

/** Transport that enforces RBAC rules as Kubernetes does. */
function guarded(
  transport: Transport,
  rules: readonly Rule[],
  used: Set<string>,
  refused: string[],
): Transport {
  /** Returns the transport, or throws a 403. */
  const authorized = (kind: KindInfo, verbs: readonly string[], subresource?: string): Transport => {
    const group = parseApiVersion(kind.apiVersion)?.group ?? "";
    const resource = subresource === undefined ? kind.plural : `${kind.plural}/${subresource}`;
    for (const verb of verbs) {
      used.add(`${verb} ${resource}`);
      const isAllowed = (rule: Rule): boolean =>
        rule.apiGroups.includes(group) && rule.resources.includes(resource) && rule.verbs.includes(verb);
      if (rules.some(isAllowed)) continue;
      refused.push(`${verb} ${resource}.${group}`);
      throw failures.forbidden({ group, resource }, "", "no rule allows it");
    }
    return transport;
  };
  return {
    discover: (...rest) => transport.discover(...rest),
    get: async (kind, ...rest) => authorized(kind, ["get"], rest[1]?.subresource).get(kind, ...rest),
    list: async (kind, ...rest) => authorized(kind, ["list"]).list(kind, ...rest),
    watch: (kind, ...rest) => authorized(kind, ["watch"]).watch(kind, ...rest),
    create: async (kind, ...rest) => authorized(kind, ["create"]).create(kind, ...rest),
    update: async (kind, ...rest) => authorized(kind, ["update"], rest[2]?.subresource).update(kind, ...rest),
    patch: async (kind, target, patch, options) => {
      // An apply may create the object.
      const verbs = patch.type === "apply" ? ["patch", "create"] : ["patch"];
      return authorized(kind, verbs, options?.subresource).patch(kind, target, patch, options);
    },
    delete: async (kind, ...rest) => authorized(kind, ["delete"]).delete(kind, ...rest),
    deleteCollection: async (kind, ...rest) =>
      authorized(kind, ["deletecollection"]).deleteCollection(kind, ...rest),
    [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
  };
}
