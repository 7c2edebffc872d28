import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isConflict, isNotFound } from "../../model/core.js";
import { testApi, type TestApi, type AssertedObject, type TestResource } from "./fixtures/test-api.js";

let api: TestApi;
let widgets: TestResource;
let count = 0;

beforeAll(async () => {
  api = await testApi();
  widgets = await api.define("Widget");
});
afterAll(() => api[Symbol.asyncDispose]());

function fresh(): string {
  return `w${count++}`;
}

function versionOf({ metadata }: AssertedObject): number {
  return Number(metadata.resourceVersion);
}

/** Lets as many others run as the schedule says. */
async function pause(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await Promise.resolve();
}

test("concurrent patches without a resourceVersion are all applied", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ type: fc.constantFrom("merge", "json", "status"), wait: fc.nat(20) }), {
        maxLength: 30,
      }),
      async (patches) => {
        const name = fresh();
        await widgets.make(name, { spec: { count: {} } });
        await widgets.patch(name, "merge", { status: { count: {} } }, { subresource: "status" });
        await Promise.all(
          patches.map(async ({ type, wait }, index) => {
            await pause(wait);
            if (type === "merge")
              await widgets.patch(name, "merge", { spec: { count: { [`k${index}`]: index } } });
            else if (type === "json") {
              await widgets.patch(name, "json", [{ op: "add", path: `/spec/count/k${index}`, value: index }]);
            } else {
              const options = { subresource: "status" } as const;
              await widgets.patch(name, "merge", { status: { count: { [`k${index}`]: index } } }, options);
            }
          }),
        );
        const found = await widgets.get(name);
        const landed = {
          ...(found["spec"] as { count: object }).count,
          ...(found["status"] as { count: object }).count,
        };
        expect(landed).toEqual(Object.fromEntries(patches.map((_, index) => [`k${index}`, index])));
        const specs = patches.filter(({ type }) => type !== "status").length;
        expect(found.metadata.generation).toBe(1 + specs);
      },
    ),
    { numRuns: 40 },
  );
});

test("concurrent updates with a resourceVersion never lose an acknowledged write", async () => {
  const step = fc.record({ read: fc.nat(10), write: fc.nat(10) });
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(step, { maxLength: 5 }), { minLength: 2, maxLength: 6 }),
      async (writers) => {
        const name = fresh();
        await widgets.make(name, { spec: { log: [] } });
        const acknowledged: string[] = [];
        await Promise.all(
          writers.map(async (steps, writer) => {
            for (const [index, { read, write }] of steps.entries()) {
              await pause(read);
              const seen = await widgets.get(name);
              const { log } = seen["spec"] as { log: string[] };
              await pause(write);
              const entry = `${writer}.${index}`;
              try {
                await widgets.update({ ...seen, spec: { log: [...log, entry] } });
                acknowledged.push(entry);
              } catch (error) {
                if (!isConflict(error)) throw error;
              }
            }
          }),
        );
        const { spec, metadata } = await widgets.get(name);
        const { log } = spec as { log: string[] };
        expect([...log].sort()).toEqual([...acknowledged].sort());
        expect(metadata.generation).toBe(1 + acknowledged.length);
      },
    ),
    { numRuns: 60 },
  );
});

type Step =
  | { readonly do: "create" | "delete" | "release"; readonly name: string }
  | { readonly do: "patch"; readonly name: string; readonly value: number };

const names = ["a", "b", "c", "d"];
const name = fc.constantFrom(...names);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constantFrom("create", "delete", "release"), name }),
  fc.record({ do: fc.constant("patch" as const), name, value: fc.nat(2) }),
);

test("watch and list agree at every revision", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), fc.nat(25), async (steps, joins) => {
      const namespace = `ns-${fresh()}`;
      await api.core("namespaces").make(namespace);
      await api.api.idle();
      const things = widgets.in(namespace);
      let from = (await things.list()).resourceVersion;
      for (const [index, each] of steps.entries()) {
        await perform(things, each, index);
        if (index === joins) from = (await things.list()).resourceVersion;
      }
      const last = (await things.list()).resourceVersion;

      /** What a client that lists and then watches holds after each event. */
      const held = new Map<string, AssertedObject>();
      const listed = await things.list({ resourceVersion: from, resourceVersionMatch: "Exact" });
      for (const { object } of listed.items)
        held.set(object.metadata.name ?? "", object as unknown as AssertedObject);
      const events = things.watch({ resourceVersion: from });
      // Something to end with.
      await things.make("end");
      for (
        let event = await events.next();
        event && event.object.metadata.name !== "end";
        event = await events.next()
      ) {
        const { metadata } = event.object;
        expect(held.has(metadata.name)).toBe(event.type !== "ADDED");
        if (event.type === "DELETED") held.delete(metadata.name);
        else held.set(metadata.name, event.object);
        const exact = { resourceVersion: metadata.resourceVersion, resourceVersionMatch: "Exact" };
        const { items } = await things.list(exact);
        expect(items.map(({ object }) => object)).toEqual(inOrder(held));
      }
      await events.close();
      const { items } = await things.list({ resourceVersion: last, resourceVersionMatch: "Exact" });
      expect(items.map(({ object }) => object)).toEqual(inOrder(held));
    }),
    { numRuns: 40 },
  );
});

function inOrder(held: ReadonlyMap<string, AssertedObject>): AssertedObject[] {
  return [...held.values()].sort((left, right) => (left.metadata.name < right.metadata.name ? -1 : 1));
}

async function perform(things: TestResource, each: Step, index: number): Promise<void> {
  try {
    switch (each.do) {
      case "create": {
        const finalizers = index % 2 === 0 ? ["demo.dev/x"] : [];
        await things.create({ metadata: { name: each.name, finalizers } });
        break;
      }
      case "patch":
        await things.patch(each.name, "merge", { spec: { value: each.value } });
        break;
      case "delete":
        await things.delete(each.name);
        break;
      case "release":
        await things.patch(each.name, "merge", { metadata: { finalizers: null } });
    }
  } catch (error) {
    if (!isNotFound(error) && !(error instanceof Error && error.message.includes("already exists")))
      throw error;
  }
}

test("exactly one of many concurrent creates succeeds", async () => {
  const name = fresh();
  const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => widgets.make(name)));
  expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
});

test("exactly one of many concurrent deletes succeeds", async () => {
  const name = fresh();
  await widgets.make(name);
  const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => widgets.delete(name)));
  expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
});

test("after concurrent puts, deletes and patches, the object is as the last of them left it", async () => {
  const leases = api.resource("leases", { group: "coordination.k8s.io" });
  for (let round = 0; round < 20; round++) {
    const name = fresh();
    const work = Array.from({ length: 12 }, (_, index) => {
      if (index % 3 === 0)
        return leases.update({ metadata: { name }, spec: { holderIdentity: `h${index}` } });
      if (index % 3 === 1)
        return leases.apply(name, `m${index}`, { metadata: { name, labels: { [`l${index}`]: "1" } } });
      return leases.delete(name);
    });
    const outcomes = await Promise.allSettled(work);
    const written = outcomes.flatMap((outcome) => {
      if (outcome.status === "fulfilled") return "metadata" in outcome.value ? [outcome.value] : [];
      expect(outcome.reason).toMatchObject({ name: "ApiError" });
      return [];
    });
    const deleted = outcomes.filter(({ status }, index) => index % 3 === 2 && status === "fulfilled");
    const last = written.toSorted((one, other) => versionOf(one) - versionOf(other)).at(-1);
    const left = await leases.get(name).catch((error: unknown) => {
      expect(error).toMatchObject({ code: 404 });
      expect(deleted).not.toEqual([]);
    });
    if (left !== undefined) expect(left).toEqual(last);
    expect(written).not.toEqual([]);
  }
});
