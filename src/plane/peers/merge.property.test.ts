import fc from "fast-check";
import { expect, test } from "vitest";
import { SimulatedPlanes } from "./fixtures/simulated-planes.js";
import { versionOf } from "./object-version.js";

/** Planes by the planes that they pull from. In each of them every plane can reach every other. */
const topologies = {
  pair: { a: ["b"], b: ["a"] },
  ring: { a: ["c"], b: ["a"], c: ["b"] },
  mesh: { a: ["b", "c"], b: ["a", "c"], c: ["a", "b"] },
  line: { a: ["b"], b: ["a", "c"], c: ["b", "d"], d: ["c"] },
  "ring of four": { a: ["d"], b: ["a"], c: ["b"], d: ["c"] },
  "mesh behind a gate": { a: ["b"], b: ["a", "c", "d"], c: ["b", "d"], d: ["b", "c"] },
} satisfies Record<string, Record<string, readonly string[]>>;

const names = ["x", "y"];
const at = fc.nat(3);
const name = fc.constantFrom(...names);
const value = fc.constantFrom("red", "green", "blue");

const command = fc.oneof(
  { weight: 5, arbitrary: fc.record({ type: fc.constant("edit" as const), at, name, value }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("remove field" as const), at, name }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("report" as const), at, name, value }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("delete" as const), at, name }) },
  {
    weight: 12,
    arbitrary: fc.record({
      type: fc.constant("pull" as const),
      at,
      peer: fc.nat(2),
      name,
      stale: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ type: fc.constant("advance" as const), by: fc.constantFrom(10, 1000, 5000) }),
  },
);
type PlaneCommand = typeof command extends fc.Arbitrary<infer T> ? T : never;

const scenario = fc.record({
  topology: fc.constantFrom(...(Object.keys(topologies) as (keyof typeof topologies)[])),
  policy: fc.constantFrom("newest-wins" as const, "source-wins" as const),
  skews: fc.dictionary(
    fc.constantFrom("a", "b", "c", "d"),
    fc.constantFrom(-60_000, -1500, 0, 1500, 3_600_000),
  ),
  commands: fc.array(command, { maxLength: 60, size: "max" }),
});

function execute(
  planes: SimulatedPlanes,
  commands: readonly PlaneCommand[],
  policy: "newest-wins" | "source-wins",
): void {
  const all = [...planes.planes.values()];
  for (const each of commands) {
    if (each.type === "advance") {
      planes.advance(each.by);
      continue;
    }
    const plane = all[each.at % all.length];
    if (plane === undefined) continue;
    const old = planes.get(plane.id, each.name);
    switch (each.type) {
      case "edit":
        planes.edit(plane.id, each.name, { ...(old?.spec as object), color: each.value, note: plane.id });
        break;
      case "remove field":
        planes.removeField(plane.id, each.name, "note");
        break;
      case "report":
        planes.report(plane.id, each.name, { color: each.value });
        break;
      case "delete":
        planes.delete(plane.id, each.name);
        break;
      case "pull": {
        const peer = plane.peers[each.peer % plane.peers.length] ?? "";
        const { action } = planes.pull(plane.id, peer, each.name, policy, each.stale);
        if (action === "delete" && old !== undefined) expect(versionOf(old, plane.id).path.at(-1)).toBe(peer);
      }
    }
  }
}

test("planes become quiet, keep exactly what its origin has, and agree on its content", () => {
  fc.assert(
    fc.property(scenario, ({ topology, policy, skews, commands }) => {
      const planes = new SimulatedPlanes(topologies[topology], skews);
      execute(planes, commands, policy);
      planes.settle(names, policy);
      const all = [...planes.planes.values()];
      for (const each of names) {
        const versions = all.flatMap(({ id }) => {
          const object = planes.get(id, each);
          return object === undefined ? [] : [versionOf(object, id)];
        });
        const isKept = versions.some(({ path }) => path.length === 0);
        expect(versions).toHaveLength(isKept ? all.length : 0);
        for (const { path, hash, plane } of versions) {
          expect(path).not.toContain(plane);
          const [first] = versions;
          if (policy === "newest-wins") expect(hash).toBe(first?.hash);
          const supporter = versions.find((other) => other.plane === path.at(-1));
          if (path.length > 0) expect(hash).toBe(supporter?.hash);
        }
      }
    }),
    { numRuns: 2000 },
  );
});

test("without concurrent edits there is no conflict", () => {
  fc.assert(
    fc.property(scenario, ({ topology, skews, commands }) => {
      const planes = new SimulatedPlanes(topologies[topology], skews);
      const edits = commands.filter(({ type }) => type !== "pull" && type !== "delete");
      planes.edit("a", "x", { color: "white" });
      planes.edit("a", "y", { color: "white" });
      planes.settle(names, "newest-wins");
      for (const each of edits) {
        execute(planes, [each], "newest-wins");
        planes.settle(names, "newest-wins");
      }
      expect(planes.conflicts).toEqual([]);
    }),
    { numRuns: 300 },
  );
});
