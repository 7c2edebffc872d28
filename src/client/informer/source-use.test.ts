import { describe, expect, test } from "vitest";
import { type KubeObject, SelectorError, VirtualClock } from "../../model/core.js";
import { poll } from "../polling/poll.js";
import { byLabel } from "../source/index-functions.js";
import { SourceUse } from "./source-use.js";

const Machine = {
  apiVersion: "racks.dev/v1",
  kind: "Machine",
  plural: "machines",
  scope: "Namespaced",
} as const;

function machine(namespace: string, name: string, rack: string, power = "on"): KubeObject {
  const { apiVersion, kind } = Machine;
  return { apiVersion, kind, metadata: { namespace, name, labels: { rack } }, spec: { power } };
}

/** Poller over `rows`, and a function that polls again. */
function machines(...rows: KubeObject[]) {
  const clock = new VirtualClock();
  const source = poll({ name: "machines", interval: "10s", jitter: 0, clock, list: () => [...rows] });
  const look = (...now: readonly KubeObject[]): Promise<void> => {
    rows.splice(0, rows.length, ...now);
    return clock.advance(10_000);
  };
  return { source, look };
}

const names = (objects: Iterable<KubeObject>): (string | undefined)[] =>
  Array.from(objects, ({ metadata }) => metadata.name);

const scope = { namespace: "a", labelSelector: "rack=1", fieldSelector: "spec.power=on" };

describe("a scope of a source", () => {
  test("has only its objects", async () => {
    const { source } = machines(
      machine("a", "in", "1"),
      machine("b", "namespace", "1"),
      machine("a", "label", "2"),
      machine("a", "field", "1", "off"),
    );
    const use = new SourceUse(source, Machine, scope);
    use.addIndex("rack", byLabel("rack"));
    expect(use.synced).toBe(false);
    await use.ready();
    expect(use.synced).toBe(true);
    expect(use.size).toBe(1);
    expect(names(use.list())).toEqual(["in"]);
    expect(names(use.list("b"))).toEqual([]);
    expect(names(use.byIndex("rack", "1"))).toEqual(["in"]);
    expect(names(use.byIndex("rack", "2"))).toEqual([]);
    expect(use.get("a/in")).toBe(source.get("a/in"));
    expect(use.get("a/label")).toBeUndefined();
    expect(new SourceUse(source, Machine).size).toBe(4);
    await source.stop();
  });

  test("reports objects that enter it as created, and those that leave it as deleted", async () => {
    const { source, look } = machines(machine("a", "m", "1"), machine("a", "other", "2"));
    const received: string[] = [];
    const subscription = new SourceUse(source, Machine, scope).subscribe(({ type, object, old, initial }) =>
      received.push(
        `${type} ${object.metadata.name}${old ? ` was ${old.metadata.labels?.["rack"]}` : ""}${initial ? " initially" : ""}`,
      ),
    );
    await source.ready();
    await look(machine("a", "m", "2"), machine("a", "other", "1"));
    await look(machine("a", "m", "3"), { ...machine("a", "other", "1"), status: { seen: true } });
    await look();
    expect(received).toEqual([
      "CREATED m initially",
      "DELETED m was 1",
      "CREATED other",
      "STATUS_UPDATED other was 1",
      "DELETED other was 1",
    ]);
    subscription.release();
    await look(machine("a", "m", "1"));
    expect(received).toHaveLength(5);
    await source.stop();
  });

  test("with unsupported options is rejected", () => {
    const { source } = machines();
    const use = (kind: ConstructorParameters<typeof SourceUse>[1], wrong: object): SourceUse =>
      new SourceUse(source, kind, wrong);
    expect(() => use(Machine, { metadataOnly: true })).toThrow(/machines has "metadataOnly".*remove it/);
    expect(() => use("racks.dev/v1/Machine", { transform: (object: KubeObject) => object })).toThrow(
      /Machine has "transform"/,
    );
    expect(() => use({ ...Machine, scope: "Cluster" }, { namespace: "a" })).toThrow(/no namespace/);
    expect(() => use(Machine, { labelSelector: "a in" })).toThrow(SelectorError);
  });
});

test("each handle has its own index names", async () => {
  const { source } = machines(machine("a", "m", "1"), machine("a", "n", "2", "off"));
  const byPower = ({ spec }: KubeObject): string[] => [(spec as { power: string }).power];
  const [first, second, third] = [1, 2, 3].map(() => new SourceUse(source, Machine)) as [
    SourceUse,
    SourceUse,
    SourceUse,
  ];
  source.addIndex("shared", byLabel("rack"));
  first.addIndex("by", byLabel("rack"));
  second.addIndex("by", byPower);
  second.addIndex("by", byPower);
  third.addIndex("power", byPower);
  await source.ready();
  expect(names(first.byIndex("by", "1"))).toEqual(["m"]);
  expect(names(second.byIndex("by", "off"))).toEqual(["n"]);
  expect(names(third.byIndex("power", "on"))).toEqual(["m"]);
  expect(names(third.byIndex("shared", "2"))).toEqual(["n"]);
  expect(() => third.byIndex("by", "1")).toThrow(/no index is named "by"/);
  expect(() => second.addIndex("by", byLabel("rack"))).toThrow(/another index is named "by"/);
  await source.stop();
});
