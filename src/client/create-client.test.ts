import { describe, expect, test } from "vitest";
import { failures, isTimeout, VirtualClock, type KubeObject } from "../model/core.js";
import type { Client } from "./client.js";
import { createClient } from "./create-client.js";
import { readYourWrites } from "./informer/read-your-writes.js";
import { ConfigMap, Namespace } from "./kinds/kubernetes.js";
import { httpTransport } from "./transport/http/http-transport.js";
import type { CallOptions, DeleteOptions, Transport } from "./transport/transport.js";
import type { ObjectKey } from "../model/object/object-key.js";

const maps = { group: "", resource: "configmaps" };

function object(name: string, uid = `uid-${name}`): KubeObject {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, namespace: "default", uid, resourceVersion: "1" },
  };
}

function transport(answers: Partial<Transport>): Transport {
  return answers as Transport;
}

describe("the default namespace of a client", () => {
  const connection = { server: "http://127.0.0.1:1", namespace: "team-a" };

  test("is that of the connection, unless the options name another", () => {
    const way = httpTransport({ connection });
    expect(createClient({ transport: way }).namespace).toBe("team-a");
    expect(createClient({ transport: way, namespace: "team-b" }).namespace).toBe("team-b");
    expect(createClient({ transport: transport({}) }).namespace).toBe("default");
  });

  test("is that of the wrapped transport", () => {
    const informers = { wrote: () => {}, removed: () => {}, follows: () => false };
    const way = readYourWrites(httpTransport({ connection }), informers);
    expect(createClient({ transport: way }).namespace).toBe("team-a");
  });
});

describe("the timeout of a call", () => {
  /** Client for a server that takes this many milliseconds per request and whose lists have endless pages. */
  function slowClient(each: number): { readonly client: Client; readonly clock: VirtualClock } {
    const clock = new VirtualClock(0);
    let pages = 0;
    const answering = <T>(answer: () => T, { timeout }: CallOptions = {}): Promise<T> =>
      new Promise((resolve, reject) => {
        const isLate = timeout !== undefined && timeout > 0 && timeout < each;
        const end = (): void => (isLate ? reject(failures.timeout("too late")) : resolve(answer()));
        clock.after(isLate ? timeout : each, end);
      });
    const conflict = (): never => {
      throw failures.conflict(maps, "a", failures.modifiedConflict);
    };
    const client = createClient({
      clock,
      transport: transport({
        discover: (_apiVersion, options) => answering(() => [], options),
        get: (_kind, _target, options) => answering(() => object("a"), options),
        list: (_kind, _scope, options) =>
          answering(() => {
            const more = ++pages < 8 ? { continue: "more" } : {};
            return { items: [object(`o${pages}`)], resourceVersion: "1", ...more };
          }, options),
        create: (_kind, _scope, _body, options) => answering(() => object("a"), options),
        update: (_kind, _target, _body, options) => answering(() => undefined, options).then(conflict),
        deleteCollection: (_kind, _scope, _selection, options) => answering(() => [], options),
      }),
    });
    return { client, clock };
  }

  /** Error and time of a failed call. */
  async function endOf(
    each: number,
    call: (client: Client) => Promise<unknown>,
  ): Promise<{ readonly error: unknown; readonly at: number }> {
    const { client, clock } = slowClient(each);
    const end = call(client).then(
      () => ({ error: undefined, at: clock.now() }),
      (error: unknown) => ({ error, at: clock.now() }),
    );
    await clock.advance(60_000);
    return end;
  }

  const change = (): { metadata: object; data: { k: string } } => ({ metadata: {}, data: { k: "v" } });

  test.each<[string, (client: Client) => Promise<unknown>]>([
    ["a list of pages", (client) => client.list(ConfigMap, { timeout: 500 })],
    ["modify", (client) => client.modify(ConfigMap, "a", change, { timeout: 500 })],
    ["createOrUpdate", (client) => client.createOrUpdate(ConfigMap, "a", change, { timeout: 500 })],
    ["deleteAll", (client) => client.deleteAll(ConfigMap, {}, { timeout: 500 })],
    ["a kind that is not known", (client) => client.get("demo.dev/v1/Site", "a", { timeout: 200 })],
    ["a question for a kind", (client) => client.kind("demo.dev/v1/Site", { timeout: 200 })],
  ])("covers all requests of the call: %s", async (_, call) => {
    const { error, at } = await endOf(300, call);
    expect(isTimeout(error)).toBe(true);
    expect([200, 500]).toContain(at);
  });

  test("ends the call together with its last request", async () => {
    const { error, at } = await endOf(250, (client) => client.list(ConfigMap, { timeout: 500 }));
    expect(error).toMatchObject({
      code: 504,
      message: "Timeout: gave up after 500ms: the call needs several requests, which took longer than that",
    });
    expect(at).toBe(500);
  });

  test("rejects with the last error when there is no time for another attempt", async () => {
    const { error, at } = await endOf(249, (client) =>
      client.modify(ConfigMap, "a", change, { timeout: 500 }),
    );
    expect(error).toMatchObject({ code: 409 });
    expect(at).toBe(498);
  });

  test("is off when it is 0", async () => {
    const { error, at } = await endOf(300, (client) => client.list(ConfigMap, { timeout: 0 }));
    expect(error).toBeUndefined();
    expect(at).toBe(2400);
  });

  test("applies to each page of an iteration", async () => {
    const { error, at } = await endOf(300, async (client) => {
      for await (const _ of client.each(ConfigMap, { timeout: 500 }));
    });
    expect(error).toBeUndefined();
    expect(at).toBe(2400);
  });
});

describe("deleteAll of a kind without deletecollection", () => {
  function collection(remove: (target: ObjectKey, options?: DeleteOptions) => Promise<undefined>): Client {
    return createClient({
      transport: transport({
        deleteCollection: async () => {
          throw failures.methodNotSupported({ group: "", resource: "namespaces" }, "deletecollection");
        },
        list: async (_kind, _scope, { labelSelector }: { labelSelector?: string | undefined } = {}) => ({
          items: labelSelector === "a=b" ? [object("one"), object("two")] : [],
          resourceVersion: "1",
        }),
        delete: (_kind, target, options) => remove(target, options),
      }),
    });
  }

  test("deletes the listed objects one by one", async () => {
    const deleted: unknown[] = [];
    const client = collection(async ({ name }, options) => {
      deleted.push([name, options]);
      throw name === "one" ? failures.notFound(maps, name) : failures.conflict(maps, name, "another uid");
    });
    await client.deleteAll(Namespace, { labelSelector: "a=b" }, { propagationPolicy: "Foreground" });
    expect(deleted).toEqual([
      ["one", { propagationPolicy: "Foreground", preconditions: { uid: "uid-one" } }],
      ["two", { propagationPolicy: "Foreground", preconditions: { uid: "uid-two" } }],
    ]);
  });

  test("fails when a delete fails, or a precondition is not met", async () => {
    const forbidden = collection(async () => {
      throw failures.forbidden(maps, "one", "no");
    });
    const selection = { labelSelector: "a=b" };
    await expect(forbidden.deleteAll(Namespace, selection)).rejects.toMatchObject({ code: 403 });
    const changed = collection(async () => {
      throw failures.conflict(maps, "one", "another version");
    });
    const preconditions = { resourceVersion: "5" };
    await expect(changed.deleteAll(Namespace, selection, { preconditions })).rejects.toMatchObject({
      code: 409,
    });
  });
});
