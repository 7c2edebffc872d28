import fc from "fast-check";
import { expect, test } from "vitest";
import { failures, type KubeObject, VirtualClock } from "../../model/core.js";
import { byLabel } from "../source/index-functions.js";
import { createInformers } from "./create-informers.js";
import { FakeServer, widgets } from "./fixtures/fake-server.js";
import { noJitter } from "./fixtures/scenario.js";
import type { Informer, Informers } from "./informers.js";
import type { ObjectChange } from "../source/source.js";

interface World {
  readonly server: FakeServer;
  readonly clock: VirtualClock;
  readonly informers: Informers;
  readonly informer: Informer;
  readonly listeners: Replayed[];
}

/** Words, so that a failing history is readable: `update a`, `wait 3000`. */
type Step = readonly [what: keyof typeof steps, of: string];

/** State as a listener knows it, from changes only. */
class Replayed {
  readonly objects = new Map<string, KubeObject>();

  constructor(informer: Informer) {
    informer.subscribe((change) => this.apply(change));
  }

  apply({ type, object, old }: ObjectChange): void {
    const name = object.metadata.name ?? "";
    const previous = this.objects.get(name);
    if (type === "CREATED") {
      expect(previous, `${name} was created before`).toBeUndefined();
      expect(old).toBeUndefined();
    } else {
      expect(old?.metadata.uid).toBe(previous?.metadata.uid);
      expect(old && essence(old)).toEqual(previous && essence(previous));
      expect(object.metadata.uid).toBe(previous?.metadata.uid);
    }
    expect(Object.isFrozen(object)).toBe(true);
    if (type === "DELETED") this.objects.delete(name);
    else this.objects.set(name, object);
  }
}

/** Removes the fields whose changes are not reported. */
function essence(object: KubeObject): unknown {
  const { resourceVersion: _, managedFields: __, ...metadata } = object.metadata;
  return { ...object, metadata };
}

const steps = {
  update: (name: string, { server }: World) => server.update(name),
  status: (name: string, { server }: World) => server.status(name),
  touch: (name: string, { server }: World) => server.touch(name),
  red: (name: string, { server }: World) => server.label(name, { color: "red" }),
  blue: (name: string, { server }: World) => server.label(name, { color: "blue" }),
  delete: (name: string, { server }: World) => server.delete(name),
  wrote(name: string, { server, informers, informer }: World) {
    const written = server.update(name);
    informers.wrote(widgets, written);
    expect(informer.get(`default/${name}`)).toEqual(written);
  },
  removed(name: string, { server, informers, informer }: World) {
    const uid = server.objects.get(name)?.metadata.uid;
    server.delete(name);
    if (uid !== undefined) informers.removed(widgets, { namespace: "default", name, uid });
    expect(informer.get(`default/${name}`)?.metadata.uid).not.toBe(uid ?? "");
  },
  compact: (_: string, { server }: World) => server.compact(),
  bookmark: (_: string, { server }: World) => server.bookmark(),
  disconnect: (_: string, { server }: World) => server.disconnect(),
  end: (_: string, { server }: World) => server.disconnect("end"),
  down(_: string, { server }: World) {
    server.down = true;
    server.disconnect();
  },
  up: (_: string, { server }: World) => void (server.down = false),
  forget: (what: string, { server }: World) =>
    server.fail(what === "list" ? "list" : "watch", failures.resourceExpired("too old")),
  repeat: (count: string, { server }: World) => server.send(...server.log.slice(-Number(count))),
  listen: (_: string, { listeners, informer }: World) => listeners.push(new Replayed(informer)),
  wait: (time: string, { clock }: World) => clock.advance(Number(time)),
};

const some = (what: keyof typeof steps, weight: number, ...of: readonly string[]) => ({
  weight,
  arbitrary: fc.constantFrom(...of).map((of): Step => [what, of]),
});
const names = ["a", "b", "c", "d"];
const histories = fc.array(
  fc.oneof(
    some("update", 6, ...names),
    some("status", 2, ...names),
    some("touch", 1, ...names),
    some("red", 1, ...names),
    some("blue", 1, ...names),
    some("delete", 3, ...names),
    some("wrote", 2, ...names),
    some("removed", 2, ...names),
    some("compact", 1, ""),
    some("bookmark", 1, ""),
    some("disconnect", 2, ""),
    some("end", 1, ""),
    some("down", 1, ""),
    some("up", 1, ""),
    some("forget", 1, "list", "watch"),
    some("repeat", 1, "1", "2", "5"),
    some("listen", 1, ""),
    some("wait", 6, "0", "0", "100", "3000", "40000"),
  ),
  { maxLength: 60 },
);

test("after any history, cache and listeners have the state of the server", async () => {
  const check = async (watchList: FakeServer["watchList"], history: readonly Step[]): Promise<void> => {
    const server = new FakeServer();
    server.watchList = watchList;
    server.update("a");
    const clock = new VirtualClock();
    const problems: unknown[] = [];
    const informers = createInformers({
      transport: server.transport,
      resolve: async () => widgets,
      clock,
      random: noJitter,
      onError: (error, { doing }) => {
        if (doing.startsWith("telling")) problems.push(error);
      },
    });
    const informer: Informer = await informers.open(widgets);
    informer.addIndex("color", byLabel("color"));
    const listeners = [new Replayed(informer)];
    const world = { server, clock, informers, informer, listeners };
    for (const [what, of] of history) await steps[what](of, world);

    server.down = false;
    // In many steps, since each step runs only a limited number of promises.
    for (let step = 0; step < 60; step++) await clock.advance(5000);
    expect(problems).toEqual([]);
    const expected = [...server.objects.values()];
    expect(informer.synced).toBe(true);
    expect(sorted(informer.list())).toEqual(sorted(expected));
    expect(sorted(informer.list("default"))).toEqual(sorted(expected));
    expect(informer.size).toBe(expected.length);
    for (const color of ["red", "blue"]) {
      const labelled = expected.filter(({ metadata }) => metadata.labels?.color === color);
      expect(sorted(informer.byIndex("color", color))).toEqual(sorted(labelled));
    }
    for (const { objects } of listeners) {
      expect(sorted(objects.values()).map(essence)).toEqual(sorted(expected).map(essence));
    }
    await informers.close();
    expect(server.watching).toBe(0);
    expect(clock.timers).toBe(0);
  };
  const modes = fc.constantFrom("served" as const, "refused" as const, "ignored" as const);
  await fc.assert(fc.asyncProperty(modes, histories, check), { numRuns: 400 });
});

function sorted(objects: Iterable<KubeObject>): KubeObject[] {
  return [...objects].sort((a, b) => ((a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1));
}
