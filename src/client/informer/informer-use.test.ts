import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type KubeObject, SelectorError, VirtualClock } from "../../model/core.js";
import { byController, byField, byLabel, byOwner } from "../source/index-functions.js";
import { createInformers } from "./create-informers.js";
import { FakeServer, widgets } from "./fixtures/fake-server.js";
import { noJitter } from "./fixtures/scenario.js";
import type { Informer, Informers, InformerScope } from "./informers.js";
import { InformerStopped } from "./shared-informer.js";
import { withoutManagedFields } from "./informers.js";

let server: FakeServer;
let clock: VirtualClock;
let informers: Informers;
let problems: string[];

beforeEach(() => {
  server = new FakeServer();
  clock = new VirtualClock();
  problems = [];
  informers = createInformers({
    transport: server.transport,
    resolve: async (kind) => (typeof kind === "string" ? widgets : { ...widgets, ...kind }),
    clock,
    random: noJitter,
    watchLists: false,
    onError: (error, { doing }) => problems.push(`${doing}: ${error instanceof Error ? error.message : ""}`),
  });
});
afterEach(() => informers.close());

const open = (scope?: InformerScope): Promise<Informer> => informers.open(widgets, scope);
const names = (objects: Iterable<KubeObject>): string[] =>
  [...objects].map(({ metadata }) => metadata.name ?? "");
const settle = (): Promise<void> => clock.advance(0);

describe("sharing", () => {
  test("equal scopes share one informer, until its last handle is released", async () => {
    const first = await open({ labelSelector: "b=2,a=1" });
    const second = await open({ labelSelector: "a=1, b=2" });
    await Promise.all([first.ready(), second.ready()]);
    expect(server.requests).toEqual(["list newest", "watch 0"]);
    expect(informers.states()).toMatchObject([{ users: 2, scope: { labelSelector: "a=1,b=2" } }]);
    first.release();
    first.release();
    await settle();
    expect(server.watching).toBe(1);
    second.release();
    await settle();
    expect(server.watching).toBe(0);
    expect(informers.states()).toEqual([]);
    expect(clock.timers).toBe(0);
  });

  test("different scopes and transforms are different informers", async () => {
    await open();
    await open({ namespace: "default" });
    await open({ metadataOnly: true });
    await open({ transform: withoutManagedFields });
    await open({ transform: withoutManagedFields });
    await open({ transform: (object) => object });
    expect(informers.states()).toHaveLength(5);
  });

  test("a released handle receives no more changes; others do", async () => {
    const [one, two] = [await open(), await open()];
    const received: string[] = [];
    one.subscribe(({ type }) => received.push(`one ${type}`));
    two.subscribe(({ type }) => received.push(`two ${type}`));
    await one.ready();
    one.release();
    server.update("a");
    await settle();
    expect(received).toEqual(["two CREATED"]);
  });

  test("two handles may use the same index name", async () => {
    server.label("a", { color: "red", size: "big" });
    const [one, two] = [await open(), await open()];
    one.addIndex("it", byLabel("color"));
    await one.ready();
    two.addIndex("it", byLabel("size"));
    expect(names(one.byIndex("it", "red"))).toEqual(["a"]);
    expect(names(two.byIndex("it", "big"))).toEqual(["a"]);
    one.release();
    expect(names(two.byIndex("it", "big"))).toEqual(["a"]);
  });
});

describe("ready", () => {
  test("rejects when the handle is released, and when all informers are closed", async () => {
    server.down = true;
    const [released, closed] = [await open(), await open()];
    const [one, two] = [released.ready(), closed.ready()];
    released.release();
    await expect(one).rejects.toThrow(/informer of widgets was released before its first list/);
    await informers.close();
    await expect(two).rejects.toThrow(InformerStopped);
    await expect(open()).rejects.toThrow(/informers are closed/);
  });

  test("rejects when its signal aborts, while the informer continues", async () => {
    server.down = true;
    const informer = await open();
    const controller = new AbortController();
    const waiting = informer.ready(controller.signal);
    controller.abort(new Error("enough"));
    await expect(waiting).rejects.toThrow("enough");
    server.down = false;
    await clock.advance(1000);
    await informer.ready();
    expect(informer.synced).toBe(true);
  });

  test("close does not wait for a server that does not respond", async () => {
    server.deaf = true;
    const informer = await open();
    await informer.ready();
    await informers.close();
    expect(informers.states()).toEqual([]);
  });
});

describe("listeners, transforms and index functions", () => {
  test("an error of a listener is reported, and all listeners receive all changes", async () => {
    const informer = await open();
    const received: string[] = [];
    informer.subscribe(() => {
      throw new Error("mine");
    });
    informer.subscribe(({ type, object }) => received.push(`${type} ${object.metadata.name}`));
    server.update("a");
    await informer.ready();
    server.update("b");
    await settle();
    expect(received).toEqual(["CREATED a", "CREATED b"]);
    expect(problems).toEqual([
      "calling a listener for CREATED Widget default/a: mine",
      "calling a listener for CREATED Widget default/b: mine",
    ]);
  });

  test("a transform determines the cached object, which is frozen; if it throws, the object is cached unchanged", async () => {
    server.touch("a");
    server.touch("bad");
    const transform = (object: KubeObject): KubeObject => {
      if (object.metadata.name === "bad") throw new Error("no");
      return withoutManagedFields(object);
    };
    const informer = await open({ transform });
    await informer.ready();
    expect(informer.get("default/a")?.metadata.managedFields).toBeUndefined();
    expect(Object.isFrozen(informer.get("default/a")?.metadata)).toBe(true);
    expect(informer.get("default/bad")?.metadata.managedFields).toHaveLength(1);
    expect(problems).toEqual(["transforming Widget default/bad: no"]);
  });

  test("an invalid selector or namespace throws at once", async () => {
    await expect(open({ labelSelector: "a in (" })).rejects.toThrow(SelectorError);
    const cluster = { ...widgets, scope: "Cluster" as const };
    await expect(informers.open(cluster, { namespace: "x" })).rejects.toThrow(/have no namespace/);
    expect(server.requests).toEqual([]);
  });

  test("an error of an index function is reported, and the object is not indexed", async () => {
    server.update("a");
    const informer = await open();
    informer.addIndex("bad", () => {
      throw new Error("no");
    });
    await informer.ready();
    expect(informer.byIndex("bad", "x")).toEqual([]);
    expect(problems).toEqual(["indexing Widget default/a: no"]);
  });
});

describe("own writes", () => {
  test("whose events have arrived already are not applied again", async () => {
    const informer = await open();
    await informer.ready();
    const written = server.update("a");
    server.delete("a");
    await settle();
    informers.wrote(widgets, written);
    expect(informer.get("default/a")).toBeUndefined();
  });

  test("are dropped when the watch has passed them without an event", async () => {
    const informer = await open();
    await informer.ready();
    const unheard = new FakeServer();
    server.version = unheard.version = 41;
    informers.wrote(widgets, unheard.update("a"));
    server.update("b");
    await settle();
    expect(names(informer.list())).toEqual(["a", "b"]);
    server.update("b");
    await settle();
    expect(names(informer.list())).toEqual(["b"]);
  });
});

describe("indexes", () => {
  test("follow changes, and can be added later", async () => {
    server.label("a", { color: "red" });
    server.label("b", { color: "red" });
    server.label("c", { color: "blue" });
    const informer = await open();
    informer.addIndex("color", byLabel("color"));
    await informer.ready();
    expect(names(informer.byIndex("color", "red"))).toEqual(["a", "b"]);
    server.label("a", { color: "blue" });
    server.delete("b");
    await settle();
    expect(informer.byIndex("color", "red")).toEqual([]);
    expect(names(informer.byIndex("color", "blue")).sort()).toEqual(["a", "c"]);
    informer.addIndex("uid", byField("metadata.uid"));
    expect(names(informer.byIndex("uid", "uid-3"))).toEqual(["c"]);
  });

  test("that are missing are reported together with the existing ones", async () => {
    const informer = await open();
    informer.addIndex("color", byLabel("color"));
    informer.addIndex("color", byLabel("color"));
    expect(() => informer.addIndex("color", byLabel("size"))).toThrow(/already has another index "color"/);
    expect(() => informer.byIndex("colour", "red")).toThrow(/no index "colour" \(existing indexes: color\)/);
  });

  test("by owners, labels and fields", () => {
    const owner = (uid: string, controller?: boolean) => ({
      apiVersion: "v1",
      kind: "Thing",
      name: uid,
      uid,
      ...(controller !== undefined && { controller }),
    });
    const object: KubeObject = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "a", ownerReferences: [owner("1"), owner("2", true), owner("1")] },
      spec: { node: "n", replicas: 3, volumes: [{ config: { name: "x" } }, { config: { name: "y" } }, {}] },
    };
    expect(byOwner(object)).toEqual(["1", "2"]);
    expect(byController(object)).toEqual(["2"]);
    expect(byField("spec.node")(object)).toEqual(["n"]);
    expect(byField("spec.replicas")(object)).toEqual(["3"]);
    expect(byField("spec.volumes.config.name")(object)).toEqual(["x", "y"]);
    expect(byField("spec.nothing.here")(object)).toEqual([]);
    expect(byField("spec.node")).toBe(byField("spec.node"));
    expect(byLabel("toString")(object)).toEqual([]);
  });
});

test("objects that are deleted while pages expire are removed", async () => {
  for (let index = 0; index < 600; index++) server.update(`w${index + 1000}`);
  const plain = { ...server.transport };
  server.transport.list = async (kind, scope, options) => {
    if (options?.continue) {
      server.delete("w1000");
      server.compact();
    }
    return plain.list(kind, scope, options);
  };
  const informer = await open();
  await informer.ready();
  expect(server.requests.slice(0, 3)).toEqual(["list newest", "list from w1499", "list newest"]);
  expect(informer.size).toBe(599);
  expect(informer.get("default/w1000")).toBeUndefined();
});

test("a listener added during a list receives every object once", async () => {
  server.update("a");
  const informer = await open();
  await informer.ready();
  const receivedLater: string[] = [];
  let joined = false;
  informer.subscribe(() => {
    if (joined || informer.size < 2) return;
    joined = true;
    informer.subscribe(({ type, object, initial }) =>
      receivedLater.push(`${type} ${object.metadata.name} ${initial}`),
    );
  });
  server.update("b");
  server.update("b");
  await settle();
  expect(receivedLater).toEqual(["CREATED a true", "CREATED b true", "UPDATED b false"]);
});

test("a handle released during a notification does not receive the change", async () => {
  const informer = await open();
  const received: string[] = [];
  informer.subscribe(() => second.release());
  const second = informer.subscribe(({ type }) => received.push(type));
  await informer.ready();
  server.update("a");
  await settle();
  expect(received).toEqual([]);
});

test("lists of a namespace have only its objects, and can be iterated twice", async () => {
  server.update("a");
  const informer = await open();
  await informer.ready();
  const here = informer.list("default");
  expect(names(here)).toEqual(["a"]);
  server.update("b");
  await settle();
  expect(names(here)).toEqual(["a", "b"]);
  expect(names(informer.list("elsewhere"))).toEqual([]);
});
