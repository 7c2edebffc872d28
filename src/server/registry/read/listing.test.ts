import { afterAll, beforeAll, describe, expect, test } from "vitest";
import fc from "fast-check";
import { failure, refusal } from "../fixtures/failure.js";
import { anything } from "../fixtures/definitions.js";
import { namesOf, testApi, objectOf, type TestApi, type TestResource } from "../fixtures/test-api.js";
import type { ListResponse, ServerListOptions } from "../requests.js";

let api: TestApi;
let widgets: TestResource;
let zones: TestResource;
let namespaces = 0;

beforeAll(async () => {
  api = await testApi();
  const spec = { type: "object", properties: { color: { type: "string" }, size: { type: "integer" } } };
  const more = { selectableFields: [{ jsonPath: ".spec.color" }] };
  widgets = await api.define("Widget", { versions: [{ properties: { spec, status: anything }, more }] });
  zones = await api.define("Zone", { scope: "Cluster" });
});
afterAll(() => api[Symbol.asyncDispose]());

/** A namespace with widgets of these names; every second one is red. */
async function filled(...names: string[]): Promise<TestResource> {
  const namespace = `ns-${namespaces++}`;
  await api.core("namespaces").make(namespace);
  const things = widgets.in(namespace);
  for (const [index, name] of names.entries()) {
    const color = index % 2 === 0 ? "red" : "green";
    await things.create({ metadata: { name, labels: { color } }, spec: { color, size: index } });
  }
  return things;
}

/** All pages of a list, one after the other. */
async function pages(
  read: (options: ServerListOptions) => Promise<ListResponse>,
  options: ServerListOptions & { limit: number },
  between: () => Promise<unknown> = () => Promise.resolve(),
): Promise<ListResponse[]> {
  const all = [await read(options)];
  for (let last = all[0]; last?.continue; last = all.at(-1)) {
    await between();
    const { limit, labelSelector, fieldSelector } = options;
    all.push(await read({ limit, labelSelector, fieldSelector, continue: last.continue }));
  }
  return all;
}

describe("list", () => {
  test("returns the objects of a namespace, sorted by name", async () => {
    const things = await filled("b", "a", "c");
    expect(await things.names()).toEqual(["a", "b", "c"]);
  });

  test("returns the objects of all namespaces", async () => {
    const one = await filled("x-one");
    const two = await filled("x-two");
    const { items } = await widgets.listEverywhere();
    const found = items.map(({ object: { metadata } }) => `${metadata.namespace}/${metadata.name}`);
    expect(found).toEqual(
      expect.arrayContaining([`${one.scope.namespace}/x-one`, `${two.scope.namespace}/x-two`]),
    );
  });

  test("excludes namespaces with the same prefix", async () => {
    await api.core("namespaces").make("team");
    await api.core("namespaces").make("team-b");
    await widgets.in("team").make("mine");
    await widgets.in("team-b").make("theirs");
    expect(await widgets.in("team").names()).toEqual(["mine"]);
  });

  test("returns cluster-scoped objects", async () => {
    await zones.make("north");
    await zones.make("south");
    expect(await zones.names()).toEqual(["north", "south"]);
  });

  test("returns its resourceVersion", async () => {
    const things = await filled("a");
    const { revision } = await api.store.status();
    expect((await things.list()).resourceVersion).toBe(String(revision));
    expect((await widgets.in("nowhere").list()).resourceVersion).toBe(String(revision));
  });

  test("returns the same objects and bytes as get", async () => {
    const things = await filled("a");
    const [item] = (await things.list()).items;
    const single = await api.caller.get(things.type, things.target("a"));
    expect(item?.object).toEqual(single.object);
    expect(item?.bytes().equals(single.bytes())).toBe(true);
  });
});

describe("selectors", () => {
  test.each([
    ["color=red", ["a", "c"]],
    ["color!=red", ["b"]],
    ["color in (red, green)", ["a", "b", "c"]],
    ["color=blue", []],
    ["", ["a", "b", "c"]],
  ])("labels %j", async (selector, names) => {
    const things = await filled("a", "b", "c");
    expect(await things.names({ labelSelector: selector })).toEqual(names);
  });

  test.each([
    ["metadata.name=b", ["b"]],
    ["metadata.name!=b", ["a", "ab", "c"]],
    ["metadata.name=none", []],
    ["metadata.name=a", ["a"]],
    ["metadata.namespace=elsewhere", []],
    ["spec.color=red", ["a", "c"]],
    ["spec.color=red,metadata.name=c", ["c"]],
    ["spec.color=green,metadata.name=c", []],
  ])("fields %j", async (selector, names) => {
    const things = await filled("a", "b", "c", "ab");
    expect(await things.names({ fieldSelector: selector })).toEqual(names);
  });

  test("select a name in all namespaces", async () => {
    const things = await filled("only-here", "other");
    const fieldSelector = "metadata.name=only-here";
    expect(namesOf(await widgets.listEverywhere({ fieldSelector }))).toEqual(["only-here"]);
    const both = `metadata.name=only-here,metadata.namespace=${things.scope.namespace}`;
    expect(namesOf(await widgets.listEverywhere({ fieldSelector: both }))).toEqual(["only-here"]);
  });

  test("combine labels and fields", async () => {
    const things = await filled("a", "b", "c");
    const options = {
      labelSelector: "color=red",
      fieldSelector: "metadata.name!=a",
    };
    expect(await things.names(options)).toEqual(["c"]);
  });

  test("have at most 1,000 requirements, and any number of values", async () => {
    const terms = (count: number, term: (index: number) => string): string =>
      Array.from({ length: count }, (_, index) => term(index)).join(",");
    const absent = (index: number): string => `!absent-${index}`;
    expect((await api.core("namespaces").list({ labelSelector: terms(1000, absent) })).items).not.toEqual([]);
    expect(await refusal(api.core("namespaces").list({ labelSelector: terms(1001, absent) }))).toBe(
      "400 BadRequest: the label selector has 1001 requirements, and 1000 are allowed: use sets such as `key in (a,b)`, or list without it",
    );
    const values = terms(5000, (index) => `v${index}`);
    expect((await api.core("namespaces").list({ labelSelector: `a in (${values})` })).items).toEqual([]);
    const names = terms(1001, () => "metadata.name!=a");
    expect(await refusal(api.core("namespaces").list({ fieldSelector: names }))).toBe(
      "400 BadRequest: the field selector has 1001 requirements, and 1000 are allowed: list without it",
    );
  });

  test("refuse unsupported fields", async () => {
    const fieldSelector = "spec.size=1";
    expect(await refusal(widgets.list({ fieldSelector }))).toBe(
      "400 BadRequest: field label not supported: spec.size",
    );
    const data = "data=1";
    expect(await refusal(api.core("configmaps").list({ fieldSelector: data }))).toBe(
      '400 BadRequest: "data" is not a known field selector: only "metadata.name", "metadata.namespace"',
    );
  });
});

describe("pages", () => {
  const names = Array.from({ length: 10 }, (_, index) => `w${index}`);

  test("have remainingItemCount", async () => {
    const things = await filled(...names);
    const all = await pages((options) => things.list(options), { limit: 4 });
    expect(all.map(namesOf)).toEqual([names.slice(0, 4), names.slice(4, 8), names.slice(8)]);
    expect(all.map(({ remainingItemCount }) => remainingItemCount)).toEqual([6, 2, undefined]);
    expect(all.at(-1)?.continue).toBeUndefined();
  });

  test("have no continue token when the limit equals the rest", async () => {
    const things = await filled(...names);
    expect((await things.list({ limit: 10 })).continue).toBeUndefined();
    expect(await pages((options) => things.list(options), { limit: 5 })).toHaveLength(2);
  });

  test("have one revision during concurrent writes", async () => {
    const things = await filled(...names);
    let round = 0;
    const disturb = async (): Promise<void> => {
      await things.make(`w${round}-new`);
      await things.delete(`w${9 - round}`);
      await things.patch("w5", "merge", { spec: { size: 100 + round } });
      round++;
    };
    const all = await pages((options) => things.list(options), { limit: 3 }, disturb);
    expect(all.flatMap(namesOf)).toEqual(names);
    expect(new Set(all.map(({ resourceVersion }) => resourceVersion)).size).toBe(1);
    const five = all.flatMap(({ items }) => items).find(({ object }) => object.metadata.name === "w5");
    expect(five?.object.spec).toMatchObject({ size: 5 });
  });

  test("have no remainingItemCount with a selector", async () => {
    const things = await filled(...names);
    const labelSelector = "color=red";
    const all = await pages((options) => things.list(options), { limit: 2, labelSelector });
    expect(all.flatMap(namesOf)).toEqual(["w0", "w2", "w4", "w6", "w8"]);
    expect(all.every(({ remainingItemCount }) => remainingItemCount === undefined)).toBe(true);
  });

  test("continue across namespaces", async () => {
    await filled("p1", "p2");
    await filled("p3");
    const everything = namesOf(await widgets.listEverywhere());
    const all = await pages((options) => widgets.listEverywhere(options), { limit: 3 });
    expect(all.flatMap(namesOf)).toEqual(everything);
  });

  test("give the same objects for any limit, with and without a selector", async () => {
    const things = await filled(...names);
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 12 }), fc.boolean(), async (limit, selected) => {
        const labelSelector = selected ? "color=green" : undefined;
        const whole = await things.names({ labelSelector });
        const all = await pages((options) => things.list(options), { limit, labelSelector });
        expect(all.flatMap(namesOf)).toEqual(whole);
        expect(all.every(({ items }) => items.length <= limit)).toBe(true);
      }),
    );
  });

  test("of a compacted revision return 410 with a token for the newest revision", async () => {
    const things = await filled(...names);
    const first = await things.list({ limit: 4 });
    await things.make("w4-new");
    await things.delete("w9");
    await api.store.compact((await api.store.status()).revision);
    const { text, status } = await failure(things.list({ limit: 4, continue: first.continue }));
    expect(text).toMatch(
      /^410 Expired: The provided continue parameter is too old to display a consistent list result\./,
    );
    const token = (status.metadata as { continue?: string }).continue;
    expect(token).toBeDefined();
    const rest = await pages((options) => things.list(options), { limit: 4, continue: token });
    expect(rest.flatMap(namesOf)).toEqual(["w4", "w4-new", "w5", "w6", "w7", "w8"]);
    expect(rest[0]?.remainingItemCount).toBe(2);
  });

  test.each([
    ["nonsense", "continue key is not valid"],
    [
      Buffer.from("[]").toString("base64url"),
      "continue key is not valid: server does not recognize this encoded version",
    ],
    [
      token({ v: "v0", rv: 1, start: "a\0" }),
      "continue key is not valid: server does not recognize this encoded version",
    ],
    [
      token({ v: "meta.k8s.io/v1", rv: 0, start: "a\0" }),
      "continue key is not valid: incorrect encoded start resourceVersion (version meta.k8s.io/v1)",
    ],
    [
      token({ v: "meta.k8s.io/v1", rv: 1.5, start: "a\0" }),
      "continue key is not valid: incorrect encoded start resourceVersion (version meta.k8s.io/v1)",
    ],
    [
      token({ v: "meta.k8s.io/v1", rv: 1, start: "" }),
      "continue key is not valid: encoded start key empty (version meta.k8s.io/v1)",
    ],
    [token({ v: "meta.k8s.io/v1", rv: 1, start: "a" }), "continue key is not valid"],
  ])("refuse the token %j", async (text, why) => {
    expect(await refusal(widgets.list({ limit: 1, continue: text }))).toBe(
      `400 BadRequest: invalid continue token: ${why}`,
    );
  });

  test("do not leak other kinds or namespaces through a foreign token", async () => {
    const here = await filled("a", "b", "c");
    const there = await filled("d", "e");
    const { continue: token } = await here.list({ limit: 1 });
    expect(namesOf(await there.list({ continue: token }))).toEqual(["d", "e"]);
  });
});

function token(parts: object): string {
  return Buffer.from(JSON.stringify(parts)).toString("base64url");
}

describe("resourceVersion and resourceVersionMatch", () => {
  test("selects the revision as documented in planList", async () => {
    const things = await filled("a");
    const old = (await things.list()).resourceVersion;
    await things.make("b");
    const now = (await things.list()).resourceVersion;
    const show = async (options: ServerListOptions): Promise<string> => {
      const { items, resourceVersion } = await things.list(options);
      return `${items.length} at ${resourceVersion === old ? "old" : resourceVersion === now ? "now" : "?"}`;
    };
    expect(await show({})).toBe("2 at now");
    expect(await show({ limit: 5 })).toBe("2 at now");
    expect(await show({ resourceVersion: "0" })).toBe("2 at now");
    expect(await show({ resourceVersion: "0", limit: 5 })).toBe("2 at now");
    expect(await show({ resourceVersion: "0", resourceVersionMatch: "NotOlderThan" })).toBe("2 at now");
    expect(await show({ resourceVersion: old })).toBe("2 at now");
    expect(await show({ resourceVersion: old, resourceVersionMatch: "NotOlderThan" })).toBe("2 at now");
    expect(await show({ resourceVersion: old, resourceVersionMatch: "NotOlderThan", limit: 5 })).toBe(
      "2 at now",
    );
    expect(await show({ resourceVersion: old, resourceVersionMatch: "Exact" })).toBe("1 at old");
    expect(await show({ resourceVersion: old, resourceVersionMatch: "Exact", limit: 5 })).toBe("1 at old");
    expect(await show({ resourceVersion: old, limit: 5 })).toBe("1 at old");
  });

  test("reads one object by name at an exact revision", async () => {
    const things = await filled("a");
    const old = (await things.list()).resourceVersion;
    await things.patch("a", "merge", { spec: { size: 9 } });
    const fieldSelector = "metadata.name=a";
    const exactly = { fieldSelector, resourceVersion: old, resourceVersionMatch: "Exact" };
    const [item] = (await things.list(exactly)).items;
    expect(item && objectOf(item)["spec"]).toMatchObject({ size: 0 });
    await things.delete("a");
    expect(await things.names(exactly)).toEqual(["a"]);
    expect(await things.names({ fieldSelector })).toEqual([]);
  });

  test("refuses a compacted resourceVersion", async () => {
    const things = await filled("a");
    const old = (await things.list()).resourceVersion;
    await things.make("b");
    await api.store.compact((await api.store.status()).revision);
    const fieldSelector = "metadata.name=a";
    for (const options of [{}, { fieldSelector }]) {
      const exactly = things.list({ ...options, resourceVersion: old, resourceVersionMatch: "Exact" });
      expect(await refusal(exactly)).toBe(
        "410 Expired: The resourceVersion for the provided list is too old.",
      );
    }
    expect(await things.names({ resourceVersion: old })).toEqual(["a", "b"]);
  });

  test("refuses a resourceVersion in the future", async () => {
    const { revision } = await api.store.status();
    const future = String(revision + 10);
    for (const resourceVersionMatch of [undefined, "NotOlderThan", "Exact"]) {
      const { text, status } = await failure(widgets.list({ resourceVersion: future, resourceVersionMatch }));
      expect(text).toBe(`504 Timeout: Timeout: Too large resource version: ${future}, current: ${revision}`);
      expect(status.details?.causes).toMatchObject([{ reason: "ResourceVersionTooLarge" }]);
    }
    await widgets.make("future");
    expect(await refusal(widgets.get("future", { resourceVersion: String(revision + 99) }))).toMatch(
      /^504 Timeout/,
    );
    expect(await widgets.get("future", { resourceVersion: "0" })).toEqual(await widgets.get("future"));
    expect(await widgets.get("future", { resourceVersion: "1" })).toEqual(await widgets.get("future"));
  });

  test.each([
    [{ sendInitialEvents: true }, "sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list"],
    [
      { resourceVersionMatch: "Exact" },
      "resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided",
    ],
    [
      { resourceVersionMatch: "Exact", resourceVersion: "0" },
      'resourceVersionMatch: Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"',
    ],
    [
      { resourceVersionMatch: "Roughly", resourceVersion: "1" },
      'resourceVersionMatch: Unsupported value: "Roughly": supported values: "Exact", "NotOlderThan", ""',
    ],
    [
      { resourceVersionMatch: "Exact", resourceVersion: "1", continue: "x" },
      "resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden when continue is provided",
    ],
  ])("refuses %j", async (options, why) => {
    expect(await refusal(widgets.list(options))).toBe(
      `422 Invalid: ListOptions.meta.k8s.io "" is invalid: ${why}`,
    );
  });

  test.each(["-1", "abc", "1.5", " 1", "99999999999999999999999"])(
    "refuses version %j",
    async (resourceVersion) => {
      const why = /^\d+$/.test(resourceVersion) ? "value out of range" : "invalid syntax";
      const text = `400 BadRequest: invalid resource version: resourceVersion: Invalid value: "${resourceVersion}": strconv.ParseUint: parsing "${resourceVersion}": ${why}`;
      expect(await refusal(widgets.list({ resourceVersion }))).toBe(text);
      expect(await refusal(widgets.get("a", { resourceVersion }))).toBe(text);
    },
  );

  test("refuses a resourceVersion together with a continue token", async () => {
    const things = await filled("a", "b");
    const { continue: token } = await things.list({ limit: 1 });
    expect(await refusal(things.list({ continue: token, resourceVersion: "5" }))).toBe(
      "400 BadRequest: specifying resource version is not allowed when using continue",
    );
    expect(await things.names({ continue: token, resourceVersion: "0" })).toEqual(["b"]);
  });
});
