import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock, type JsonObject, type KubeObject } from "../../../model/core.js";
import { MemoryStore } from "../../../store/index.js";
import { startApi, type Api, type ApiOptions } from "../../api.js";
import { Caller } from "../../request/caller.js";
import type { ResourceType } from "../../resources/resource-type.js";
import { refusal } from "../fixtures/failure.js";
import { administrator } from "../fixtures/test-api.js";

interface Service extends KubeObject {
  readonly spec: {
    readonly clusterIP?: string;
    readonly clusterIPs?: readonly string[];
    readonly ipFamilies?: readonly string[];
    readonly ports?: readonly { readonly nodePort?: number }[];
  };
}

const namespace = "default";
const ports = [{ port: 80 }];

/** Services of one server. */
class Services implements AsyncDisposable {
  readonly api: Api;
  readonly #caller: Caller;
  readonly #type: ResourceType;

  constructor(api: Api) {
    const type = api.registry.types.find("", "v1", "services");
    if (type === undefined) throw new Error("services are not served");
    this.api = api;
    this.#caller = new Caller(api.pipeline, administrator);
    this.#type = type;
  }

  async create(name: string, spec: JsonObject = {}): Promise<Service["spec"]> {
    const object = { metadata: { name }, spec: { ports, ...spec } };
    const created = await this.#caller.create(this.#type, { namespace }, { object });
    return (created.object as Service).spec;
  }

  async annotate(name: string, annotations: JsonObject): Promise<Service["spec"]> {
    const patch = { type: "merge", body: { object: { metadata: { annotations } } } } as const;
    const { object } = await this.#caller.patch(this.#type, { namespace, name }, patch);
    return (object.object as Service).spec;
  }

  async patch(name: string, spec: JsonObject): Promise<Service["spec"]> {
    const patch = { type: "merge", body: { object: { spec } } } as const;
    const { object } = await this.#caller.patch(this.#type, { namespace, name }, patch);
    return (object.object as Service).spec;
  }

  async delete(name: string): Promise<void> {
    await this.#caller.delete(this.#type, { namespace, name });
  }

  async addresses(): Promise<(string | undefined)[]> {
    const { items } = await this.#caller.list(this.#type, {});
    return items.map(({ object }) => (object as Service).spec.clusterIP);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.api.close();
  }
}

let store: MemoryStore;
beforeEach(() => {
  store = new MemoryStore({ clock: systemClock });
});
afterEach(() => store.close());

async function start(ranges: NonNullable<ApiOptions["services"]> = {}): Promise<Services> {
  const onError = (error: unknown): void => {
    throw error;
  };
  const api = await startApi({ store, services: ranges, onError });
  await api.idle();
  return new Services(api);
}

async function claims(): Promise<string[]> {
  const { entries } = await store.range({ prefix: "/claims/" });
  return entries.map(({ key }) => key);
}

function names(count: number, prefix = "s"): string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}${index}`);
}

describe("addresses of services", () => {
  test("are all different when many are created at once by two servers", async () => {
    await using first = await start({ clusterIPRange: "10.5.0.0/25" });
    await using second = await start({ clusterIPRange: "10.5.0.0/25" });
    // All addresses but the network's, the broadcast address and that of the API server.
    const created = await Promise.all(
      names(125).map((name, index) => (index % 2 === 0 ? first : second).create(name)),
    );
    expect(new Set(created.map(({ clusterIP }) => clusterIP)).size).toBe(125);
    expect(await refusal(first.create("more"))).toBe(
      "500 InternalError: Internal error occurred: failed to allocate a serviceIP: range is full: all addresses of " +
        "10.5.0.0/25 are in use: delete services, or set a larger services.clusterIPRange",
    );
    await second.delete("s7");
    expect((await first.create("more")).clusterIP).toBe(created[7]?.clusterIP);
  });

  test("are kept by an update and a restart, and not given to others", async () => {
    let kept: string | undefined;
    {
      await using services = await start({ clusterIPRange: "10.5.0.0/30" });
      kept = (await services.create("a")).clusterIP;
      expect(kept).toBe("10.5.0.2");
      expect((await services.patch("a", { selector: { app: "x" } })).clusterIP).toBe(kept);
    }
    await using restarted = await start({ clusterIPRange: "10.5.0.0/30" });
    expect(await restarted.addresses()).toEqual([kept]);
    expect(await refusal(restarted.create("b", { clusterIP: kept ?? "" }))).toContain(
      "provided IP is already allocated",
    );
    expect(await refusal(restarted.create("b"))).toContain("range is full");
  });

  test("are kept by updates of a service with large annotations", async () => {
    await using services = await start();
    const { clusterIP } = await services.create("a");
    await services.annotate("a", { large: "x".repeat(100_000) });
    expect((await services.annotate("a", { small: "x" })).clusterIP).toBe(clusterIP);
    expect((await services.patch("a", { selector: { app: "x" } })).clusterIP).toBe(clusterIP);
  });

  test("are freed by a deletion, by another type, and when the last finalizer goes", async () => {
    await using services = await start();
    await services.create("a", { clusterIP: "10.96.0.9" });
    await services.patch("a", { type: "ExternalName", externalName: "example.org" });
    expect(await claims()).toEqual([]);
    await services.create("b", {
      type: "NodePort",
      clusterIP: "10.96.0.9",
      ports: [{ port: 80, nodePort: 30_080 }],
    });
    expect(await claims()).toEqual(["/claims/cluster-ips/10.96.0.9", "/claims/node-ports/30080"]);
    await services.patch("b", { type: "ClusterIP" });
    expect(await claims()).toEqual(["/claims/cluster-ips/10.96.0.9"]);
    await services.delete("b");
    expect(await claims()).toEqual([]);
  });

  test("that two requests ask for at once go to one of them", async () => {
    await using services = await start();
    const outcomes = await Promise.allSettled(
      names(5).map((name) => services.create(name, { clusterIP: "10.96.0.9" })),
    );
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(await services.addresses()).toEqual(["10.96.0.9"]);
  });

  test("have two families where two ranges are set", async () => {
    await using services = await start({ clusterIPRange: "10.5.0.0/24,fd00::/120" });
    const both = await services.create("a", { ipFamilyPolicy: "PreferDualStack" });
    expect(both.ipFamilies).toEqual(["IPv4", "IPv6"]);
    expect(both.clusterIPs).toEqual([expect.stringMatching(/^10\.5\.0\./), expect.stringMatching(/^fd00::/)]);
    expect(both.clusterIP).toBe(both.clusterIPs?.[0]);
    const six = await services.create("b", { ipFamilies: ["IPv6"] });
    expect(six.clusterIP).toMatch(/^fd00::/);
    expect(await refusal(services.create("c", { clusterIP: "fd00:0::0:7", ipFamilies: ["IPv4"] }))).toContain(
      "expected an IPv4 value",
    );
    await services.create("c", { clusterIP: "fd00:0::0:7" });
    expect(await refusal(services.create("d", { clusterIP: "fd00::7" }))).toContain("already allocated");
  });

  test("are not claimed by a dry run or a refused service", async () => {
    await using services = await start();
    expect(await refusal(services.create("a", { ports: [] }))).toContain("spec.ports: Required value");
    expect(await claims()).toEqual([]);
  });
});

test("node ports are all different, also when the range is nearly used up", async () => {
  await using services = await start({ nodePortRange: "30000-30019" });
  const created = await Promise.all(names(20).map((name) => services.create(name, { type: "NodePort" })));
  const numbers = created.map((spec) => spec.ports?.[0]?.nodePort);
  expect(new Set(numbers).size).toBe(20);
  expect(await refusal(services.create("more", { type: "NodePort" }))).toContain(
    "failed to allocate a nodePort: range is full: all ports of 30000-30019 are in use",
  );
  // Its address is free again.
  expect(await claims()).toHaveLength(40);
});

test.each([
  ["nonsense", {}, 'services.clusterIPRange: "nonsense" is not an address range'],
  ["10.0.0.0/33", {}, "is not an address range"],
  ["10.0.0.0/32", {}, "it has no addresses to give out"],
  ["10.0.0.0/24,10.1.0.0/24", {}, "must be one address range, or one of IPv4 and one of IPv6"],
  ["10.0.0.0/24", { nodePortRange: "5-3" }, 'services.nodePortRange: "5-3" is not a port range'],
])("a malformed range is refused at the start: %s", async (clusterIPRange, more, message) => {
  await expect(startApi({ store, services: { clusterIPRange, ...more } })).rejects.toThrow(message);
});
