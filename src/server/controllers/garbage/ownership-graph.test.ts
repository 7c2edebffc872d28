import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../../model/core.js";
import { OwnershipGraph } from "./ownership-graph.js";

function object(uid: string, owners: readonly string[] = [], block = true): KubeObject {
  const references = owners.map((owner) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    name: `name-of-${owner}`,
    uid: owner,
    blockOwnerDeletion: block,
  }));
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { uid, ownerReferences: references } };
}

const keysOf = (graph: OwnershipGraph, uid: string): string[] =>
  graph.dependentsOf(uid).map(({ key }) => key);

describe("owners and dependents", () => {
  test("follow from the owner references of the dependents", () => {
    const graph = new OwnershipGraph();
    expect(graph.set("/owner", object("o"))).toBeUndefined();
    expect(graph.isEmpty).toBe(true);
    graph.set("/a", object("a", ["o"]));
    graph.set("/b", object("b", ["o", "p"]));
    expect(keysOf(graph, "o")).toEqual(["/a", "/b"]);
    expect(keysOf(graph, "p")).toEqual(["/b"]);
    graph.set("/b", object("b", ["p"]));
    expect(keysOf(graph, "o")).toEqual(["/a"]);
    graph.delete("/a");
    graph.delete("/a");
    graph.set("/b", object("b"));
    expect([keysOf(graph, "o"), keysOf(graph, "p"), graph.isEmpty]).toEqual([[], [], true]);
  });

  test("match a plain list of objects after any sequence of changes", () => {
    const uid = fc.constantFrom("a", "b", "c", "d");
    const step = fc.record({ uid, owners: fc.option(fc.array(uid, { maxLength: 3 })) });
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const graph = new OwnershipGraph();
        const plain = new Map<string, readonly string[]>();
        for (const { uid, owners } of steps) {
          if (owners === null) {
            graph.delete(`/${uid}`);
            plain.delete(uid);
          } else {
            graph.set(`/${uid}`, object(uid, owners));
            plain.set(uid, owners);
          }
        }
        for (const owner of ["a", "b", "c", "d"]) {
          const expected = [...plain]
            .filter(([, owners]) => owners.includes(owner))
            .map(([each]) => `/${each}`);
          expect(keysOf(graph, owner).toSorted()).toEqual(expected.toSorted());
        }
        expect(graph.isEmpty).toBe([...plain.values()].every((owners) => owners.length === 0));
      }),
    );
  });
});

describe("foreground waiting", () => {
  /** Each key waits for those that it owns. */
  function chain(...links: readonly (readonly [owner: string, dependent: string])[]): OwnershipGraph {
    const graph = new OwnershipGraph();
    const owners = new Map<string, string[]>();
    for (const [owner, dependent] of links) owners.set(dependent, [...(owners.get(dependent) ?? []), owner]);
    for (const [dependent, each] of owners) graph.set(`/${dependent}`, object(dependent, each));
    return graph;
  }

  test("follows blocking dependents transitively", () => {
    const graph = chain(["a", "b"], ["b", "c"]);
    expect(graph.waitsFor("a", "b")).toBe(false);
    graph.setWaiting("a", "/a");
    expect([graph.waitsFor("a", "b"), graph.waitsFor("a", "c")]).toEqual([true, false]);
    graph.setWaiting("b", "/b");
    expect(graph.waitsFor("a", "c")).toBe(true);
    expect(graph.waitsFor("c", "a")).toBe(false);
    graph.setWaiting("a", undefined);
    expect(graph.waitsFor("a", "b")).toBe(false);
  });

  test("ends on cycles", () => {
    const graph = chain(["a", "b"], ["b", "c"], ["c", "a"], ["c", "c"]);
    for (const uid of ["a", "b", "c"]) graph.setWaiting(uid, `/${uid}`);
    for (const uid of ["a", "b", "c"]) expect(graph.waitsFor(uid, uid)).toBe(true);
    expect(graph.waitsFor("a", "elsewhere")).toBe(false);
  });

  test("ignores dependents that do not block", () => {
    const graph = new OwnershipGraph();
    graph.set("/b", object("b", ["a"], false));
    graph.setWaiting("a", "/a");
    expect(graph.waitsFor("a", "b")).toBe(false);
  });

  test("does not recurse on long chains", () => {
    const graph = new OwnershipGraph();
    for (let index = 0; index < 50_000; index++) {
      graph.set(`/${index + 1}`, object(`${index + 1}`, [`${index}`]));
      graph.setWaiting(`${index}`, `/${index}`);
    }
    expect(graph.waitsFor("0", "50000")).toBe(true);
  });
});
