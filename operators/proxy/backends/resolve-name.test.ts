import { TestClock } from "fettle/testing";
import { expect, test, vi } from "vitest";
import { NameResolver, type Resolution } from "./resolve-name.js";

/** Resolver with a directory of names, which a test can change and break. */
function resolverOf(names: Record<string, readonly string[]>) {
  const clock = new TestClock();
  const asked: string[] = [];
  const faults = new Map<string, string | Promise<readonly string[]>>();
  const resolver = new NameResolver({
    clock,
    async lookup(name) {
      asked.push(name);
      const fault = faults.get(name);
      if (fault instanceof Promise) return fault;
      const found = names[name];
      if (fault !== undefined || found === undefined) {
        throw Object.assign(new Error("getaddrinfo"), { code: fault ?? "ENOTFOUND" });
      }
      return found;
    },
  });
  const resolve = (host: string, lastKnown?: readonly string[], namespace = "default"): Promise<Resolution> =>
    resolver.resolve(host, { namespace, lastKnown });
  return { clock, asked, faults, names, resolve };
}

test("addresses are used as they are", async () => {
  const { resolve, asked } = resolverOf({});
  expect(await resolve("10.0.0.1")).toEqual({ addresses: ["10.0.0.1"] });
  expect(await resolve("2001:db8::1")).toEqual({ addresses: ["2001:db8::1"] });
  expect(asked).toEqual([]);
});

test("the real resolver knows localhost", async () => {
  const resolver = new NameResolver({ clock: new TestClock() });
  const { addresses } = await resolver.resolve("localhost", { namespace: "default" });
  expect(addresses.some((address) => address === "127.0.0.1" || address === "::1")).toBe(true);
});

test("a name is asked for once in half a minute, and its addresses are in order", async () => {
  const { resolve, asked, clock, names } = resolverOf({ app: ["10.0.0.2", "10.0.0.1", "10.0.0.2"] });
  const both = await Promise.all([resolve("app"), resolve("app")]);
  expect(both[1]).toEqual({ addresses: ["10.0.0.1", "10.0.0.2"] });
  names["app"] = ["10.0.0.3"];
  expect((await resolve("app")).addresses).toHaveLength(2);
  expect(asked).toHaveLength(1);
  await clock.advance(30_000);
  expect(await resolve("app")).toEqual({ addresses: ["10.0.0.3"] });
});

test("a name that cannot be resolved keeps its addresses for five minutes", async () => {
  const { resolve, faults, clock } = resolverOf({ app: ["10.0.0.1"] });
  await resolve("app");
  faults.set("app", "EAI_AGAIN");
  await clock.advance(30_000);
  const during = await resolve("app");
  expect(during.addresses).toEqual(["10.0.0.1"]);
  expect(during.problem).toMatch(
    /^the name app cannot be resolved: EAI_AGAIN; its last known addresses are used until 20/,
  );
  await clock.advance(299_000);
  expect((await resolve("app")).addresses).toEqual(["10.0.0.1"]);
  await clock.advance(1000);
  expect(await resolve("app")).toEqual({
    addresses: [],
    problem: "the name app cannot be resolved: EAI_AGAIN",
  });
  faults.clear();
  await clock.advance(30_000);
  expect(await resolve("app")).toEqual({ addresses: ["10.0.0.1"] });
});

test("after a restart, the addresses of the status are the last known ones", async () => {
  const { resolve, clock } = resolverOf({});
  expect((await resolve("gone", ["10.0.0.9"])).addresses).toEqual(["10.0.0.9"]);
  await clock.advance(300_000);
  expect((await resolve("gone", ["10.0.0.9"])).addresses).toEqual([]);
  expect(await resolve("new")).toEqual({
    addresses: [],
    problem: "the name new cannot be resolved: ENOTFOUND",
  });
});

test("a lookup that does not end is not waited for, and its result is used later", async () => {
  const { resolve, faults, clock, asked } = resolverOf({});
  let respond: (addresses: readonly string[]) => void = () => {};
  faults.set("slow", new Promise((resolveLookup) => (respond = resolveLookup)));
  const first = resolve("slow");
  await clock.advance(5000);
  expect((await first).problem).toBe("the name slow cannot be resolved: no response within 5s");
  respond(["10.0.0.1"]);
  await vi.waitFor(async () => expect(await resolve("slow")).toEqual({ addresses: ["10.0.0.1"] }));
  expect(asked).toEqual(["slow"]);
});

test("two names of a namespace are looked up at the same time, and the others wait", async () => {
  const { resolve, faults, asked } = resolverOf({ c: ["10.0.0.3"] });
  let respond: (addresses: readonly string[]) => void = () => {};
  const slow = new Promise<readonly string[]>((resolveLookup) => (respond = resolveLookup));
  for (const name of ["a", "b"]) faults.set(name, slow);
  const all = Promise.all(["a", "b", "c"].map((name) => resolve(name)));
  await Promise.resolve();
  expect(asked).toEqual(["a", "b"]);
  respond(["10.0.0.1"]);
  expect((await all).map(({ addresses }) => addresses[0])).toEqual(["10.0.0.1", "10.0.0.1", "10.0.0.3"]);
});

test("names that do not resolve hold up no lookup of another namespace, not even of the same name", async () => {
  const { resolve, faults, asked } = resolverOf({ app: ["10.0.0.1"], web: ["10.0.0.2"] });
  let respond: (addresses: readonly string[]) => void = () => {};
  const hanging = new Promise<readonly string[]>((resolveLookup) => (respond = resolveLookup));
  const slow = Array.from({ length: 100 }, (_, index) => `slow-${index}`);
  for (const name of slow) faults.set(name, hanging);
  const theirs = Promise.all([...slow, "app"].map((name) => resolve(name, [], "evil")));
  expect(await resolve("app")).toEqual({ addresses: ["10.0.0.1"] });
  const [one, other] = await Promise.all([resolve("web"), resolve("web", [], "other")]);
  expect([one.addresses, other.addresses]).toEqual([["10.0.0.2"], ["10.0.0.2"]]);
  expect(asked).toEqual(["slow-0", "slow-1", "app", "web", "web"]);
  respond(["10.0.0.9"]);
  expect((await theirs).at(-1)).toEqual({ addresses: ["10.0.0.1"] });
});
