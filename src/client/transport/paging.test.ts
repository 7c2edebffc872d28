import { describe, expect, test } from "vitest";
import { ApiError, failures, type KubeObject } from "../../model/core.js";
import { eachOf, listAll, type PageRequest } from "./paging.js";
import type { ListOptions } from "./transport.js";

const object = (name: string): KubeObject => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } });

/** A server that has so many objects, and forgets what it showed when it has shown the page at `forgets`. */
class Pages {
  readonly asked: ListOptions[] = [];
  readonly #count: number;
  readonly #forgets: number;
  readonly #token: boolean;

  constructor(count: number, { forgets = -1, token = true }: { forgets?: number; token?: boolean } = {}) {
    this.#count = count;
    this.#forgets = forgets;
    this.#token = token;
  }

  readonly ask: PageRequest = async (options) => {
    this.asked.push(options);
    const [at = "0", fresh] = (options.continue ?? "").split(" ");
    const start = Number(at);
    if (this.#forgets > 0 && start >= this.#forgets && fresh !== "fresh") {
      const { status } = failures.resourceExpired("too old");
      const metadata = this.#token ? { continue: `${start} fresh` } : {};
      throw new ApiError({ ...status, metadata });
    }
    const end = options.limit === undefined ? this.#count : Math.min(this.#count, start + options.limit);
    const items = Array.from({ length: end - start }, (_, index) => object(`o${start + index}`));
    return { items, resourceVersion: "7", ...(end < this.#count && { continue: `${end} ${fresh ?? ""}` }) };
  };
}

async function namesOf(each: AsyncIterable<KubeObject>): Promise<(string | undefined)[]> {
  const names: (string | undefined)[] = [];
  for await (const { metadata } of each) names.push(metadata.name);
  return names;
}

describe("listAll", () => {
  test("reads all pages", async () => {
    const pages = new Pages(1200);
    const list = await listAll(pages.ask, { labelSelector: "a=b" });
    expect(list.items).toHaveLength(1200);
    expect(list).toMatchObject({ resourceVersion: "7" });
    expect(list.continue).toBeUndefined();
    expect(pages.asked.map(({ limit, labelSelector }) => [limit, labelSelector])).toEqual(
      Array.from({ length: 3 }, () => [500, "a=b"]),
    );
  });

  test("names the version on the first page only, and lets it be newer unless told", async () => {
    const pages = new Pages(600);
    await listAll(pages.ask, { resourceVersion: "5" });
    expect(pages.asked[0]).toMatchObject({ resourceVersion: "5", resourceVersionMatch: "NotOlderThan" });
    expect(pages.asked[1]).not.toHaveProperty("resourceVersion");
    expect(pages.asked[1]).not.toHaveProperty("resourceVersionMatch");
  });

  test("begins anew in one piece when pages expire", async () => {
    const pages = new Pages(1200, { forgets: 500 });
    const list = await listAll(pages.ask, {});
    expect(list.items).toHaveLength(1200);
    expect(pages.asked.map(({ limit }) => limit)).toEqual([500, 500, undefined]);
    expect(pages.asked[2]?.continue).toBeUndefined();
  });

  test("begins anew also when there was nothing on the pages so far", async () => {
    const asked: ListOptions[] = [];
    const ask: PageRequest = async (options) => {
      asked.push(options);
      if (options.continue) throw failures.resourceExpired("too old");
      if (options.limit === undefined) return { items: [object("a")], resourceVersion: "9" };
      return { items: [], resourceVersion: "7", continue: "more" };
    };
    const list = await listAll(ask, { labelSelector: "a=b" });
    expect(list).toMatchObject({ items: [object("a")], resourceVersion: "9" });
    expect(asked).toHaveLength(3);
  });

  test("fails when the first page has expired", async () => {
    const list = listAll(async () => {
      throw failures.resourceExpired("too old");
    }, {});
    await expect(list).rejects.toThrow("too old");
  });

  test("fails when one moment was asked for that is gone", async () => {
    const pages = new Pages(1200, { forgets: 500 });
    const list = listAll(pages.ask, { resourceVersion: "5", resourceVersionMatch: "Exact" });
    await expect(list).rejects.toThrow("too old");
  });
});

describe("eachOf", () => {
  test("takes the caller's page size", async () => {
    const pages = new Pages(5);
    expect(await namesOf(eachOf(pages.ask, { limit: 2 }))).toEqual(["o0", "o1", "o2", "o3", "o4"]);
    expect(pages.asked).toHaveLength(3);
  });

  test("goes on where it was when pages expire", async () => {
    const pages = new Pages(5, { forgets: 2 });
    expect(await namesOf(eachOf(pages.ask, { limit: 2 }))).toEqual(["o0", "o1", "o2", "o3", "o4"]);
  });

  test("fails when the server says not how to go on", async () => {
    const pages = new Pages(5, { forgets: 2, token: false });
    await expect(namesOf(eachOf(pages.ask, { limit: 2 }))).rejects.toThrow("too old");
  });

  test("asks for no page that nobody wants", async () => {
    const pages = new Pages(5);
    for await (const { metadata } of eachOf(pages.ask, { limit: 2 })) if (metadata.name === "o1") break;
    expect(pages.asked).toHaveLength(1);
  });
});
