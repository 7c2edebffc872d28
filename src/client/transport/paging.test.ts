import { describe, expect, test } from "vitest";
import { ApiError, failures, type KubeObject } from "../../model/core.js";
import { eachOf, listAll, type PageRequest } from "./paging.js";
import type { ListOptions } from "./transport.js";

const object = (name: string): KubeObject => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } });

/** Server with this many objects, whose continue tokens expire after the page at `forgets`. */
class Pages {
  readonly requested: ListOptions[] = [];
  readonly #count: number;
  readonly #forgets: number;
  readonly #token: boolean;

  constructor(count: number, { forgets = -1, token = true }: { forgets?: number; token?: boolean } = {}) {
    this.#count = count;
    this.#forgets = forgets;
    this.#token = token;
  }

  readonly ask: PageRequest = async (options) => {
    this.requested.push(options);
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
    expect(pages.requested.map(({ limit, labelSelector }) => [limit, labelSelector])).toEqual(
      Array.from({ length: 3 }, () => [500, "a=b"]),
    );
  });

  test("sends the version with the first page only, and allows a newer one by default", async () => {
    const pages = new Pages(600);
    await listAll(pages.ask, { resourceVersion: "5" });
    expect(pages.requested[0]).toMatchObject({ resourceVersion: "5", resourceVersionMatch: "NotOlderThan" });
    expect(pages.requested[1]).not.toHaveProperty("resourceVersion");
    expect(pages.requested[1]).not.toHaveProperty("resourceVersionMatch");
  });

  test("starts over without pages when the continue token expires", async () => {
    const pages = new Pages(1200, { forgets: 500 });
    const list = await listAll(pages.ask, {});
    expect(list.items).toHaveLength(1200);
    expect(pages.requested.map(({ limit }) => limit)).toEqual([500, 500, undefined]);
    expect(pages.requested[2]?.continue).toBeUndefined();
  });

  test("starts over also when all pages so far were empty", async () => {
    const requested: ListOptions[] = [];
    const ask: PageRequest = async (options) => {
      requested.push(options);
      if (options.continue) throw failures.resourceExpired("too old");
      if (options.limit === undefined) return { items: [object("a")], resourceVersion: "9" };
      return { items: [], resourceVersion: "7", continue: "more" };
    };
    const list = await listAll(ask, { labelSelector: "a=b" });
    expect(list).toMatchObject({ items: [object("a")], resourceVersion: "9" });
    expect(requested).toHaveLength(3);
  });

  test("fails when the first page has expired", async () => {
    const list = listAll(async () => {
      throw failures.resourceExpired("too old");
    }, {});
    await expect(list).rejects.toThrow("too old");
  });

  test("fails when an exact version has expired", async () => {
    const pages = new Pages(1200, { forgets: 500 });
    const list = listAll(pages.ask, { resourceVersion: "5", resourceVersionMatch: "Exact" });
    await expect(list).rejects.toThrow("too old");
  });
});

describe("eachOf", () => {
  test("uses the given page size", async () => {
    const pages = new Pages(5);
    expect(await namesOf(eachOf(pages.ask, { limit: 2 }))).toEqual(["o0", "o1", "o2", "o3", "o4"]);
    expect(pages.requested).toHaveLength(3);
  });

  test("continues at the newest version when the continue token expires", async () => {
    const pages = new Pages(5, { forgets: 2 });
    expect(await namesOf(eachOf(pages.ask, { limit: 2 }))).toEqual(["o0", "o1", "o2", "o3", "o4"]);
  });

  test("fails when the server sends no token to continue", async () => {
    const pages = new Pages(5, { forgets: 2, token: false });
    await expect(namesOf(eachOf(pages.ask, { limit: 2 }))).rejects.toThrow("too old");
  });

  test("requests no page that is not consumed", async () => {
    const pages = new Pages(5);
    for await (const { metadata } of eachOf(pages.ask, { limit: 2 })) if (metadata.name === "o1") break;
    expect(pages.requested).toHaveLength(1);
  });
});
