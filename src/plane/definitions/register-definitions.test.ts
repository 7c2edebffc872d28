import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import type { Client } from "../../client/client.js";
import { createClient } from "../../client/create-client.js";
import { customResourceDefinition, failures, resource } from "../../model/index.js";
import type { Log } from "../../runtime/log/log.js";
import { startApi, type Api } from "../../server/index.js";
import { MemoryStore } from "../../store/index.js";
import { inProcess } from "../in-process.js";
import { DefinitionKind, otherManagers } from "./definition.js";
import { registerDefinitions } from "./register-definitions.js";

let store: MemoryStore;
let api: Api;
let client: Client;
let lines: { level: string; text: string; fields: object }[];

beforeEach(async () => {
  store = new MemoryStore();
  api = await startApi({ store });
  client = createClient({ transport: inProcess(api) });
  lines = [];
});
afterEach(async () => {
  await client[Symbol.asyncDispose]();
  await api.close();
  await store.close();
});

const note = (level: string) => (fields: object, text: string) => void lines.push({ level, text, fields });
const log: Log = {
  debug: note("debug"),
  info: note("info"),
  warn: note("warn"),
  error: note("error"),
  child: () => log,
};
const warnings = () => lines.filter(({ level }) => level === "warn").map(({ text }) => text);
const revision = async () => (await store.status()).revision;
const site = (spec: z.ZodObject, options: { columns?: []; scope?: "Cluster" } = {}) =>
  resource("demo.dev/v1", "Site", { spec, ...options });

const Site = site(z.object({ title: z.string(), pages: z.number().int().default(1) }));
const definition = () => client.get(DefinitionKind, "sites.demo.dev");
const create = (name: string, spec: object) =>
  client.create({ apiVersion: "demo.dev/v1", kind: "Site", metadata: { name }, spec } as never);

describe("a kind of this program", () => {
  test("is served when the promise resolves", async () => {
    await registerDefinitions(client, [Site], { log });
    await client.create(Site, { metadata: { name: "hello" }, spec: { title: "Hello" } });
    expect(lines).toMatchObject([{ level: "info", text: "registered a kind" }]);
  });

  test("is not written again when nothing changed", async () => {
    await registerDefinitions(client, [Site], { log });
    const before = await revision();
    await registerDefinitions(client, [Site], { log });
    expect(await revision()).toBe(before);
    expect(lines).toHaveLength(1);
  });

  test("is updated, also when it has objects", async () => {
    await registerDefinitions(client, [Site], { log });
    await create("hello", { title: "Hello" });
    const Wider = site(
      z.object({ title: z.string(), pages: z.number().default(1), color: z.string().default("red") }),
    );
    await registerDefinitions(client, [Wider], { log });
    expect((await client.get(Wider, "hello")).spec).toEqual({ title: "Hello", pages: 1, color: "red" });
  });

  test("is registered once by many processes at once", async () => {
    await Promise.all(Array.from({ length: 8 }, () => registerDefinitions(client, [Site], { log })));
    expect((await definition()).metadata.generation).toBe(1);
    const Wider = site(z.object({ title: z.string(), color: z.string().optional() }));
    await Promise.all(Array.from({ length: 8 }, () => registerDefinitions(client, [Wider], { log })));
    expect((await definition()).metadata.generation).toBe(2);
  });

  test("is registered again when its old definition is being deleted", async () => {
    await registerDefinitions(client, [Site], { log });
    await client.create(Site, {
      metadata: { name: "kept", finalizers: ["demo.dev/keep"] },
      spec: { title: "x" },
    });
    await client.delete(DefinitionKind, "sites.demo.dev");
    const registered = registerDefinitions(client, [Site], { log });
    await client.patch(Site, "kept", { metadata: { finalizers: null } });
    await registered;
    expect((await client.list(Site)).items).toEqual([]);
  });
});

describe("stored objects that violate a new schema", () => {
  const Stricter = site(z.object({ title: z.string(), owner: z.string(), pages: z.number().int().max(5) }));

  test("prevent the registration, and are listed with their invalid fields", async () => {
    await registerDefinitions(client, [Site], { log });
    for (let number = 1; number <= 7; number++) await create(`s${number}`, { title: "x", pages: 9 });
    const before = await revision();
    await expect(registerDefinitions(client, [Stricter], { log })).rejects.toThrow(
      /7 of 7 stored Site objects.*\n {2}default\/s1: spec\.pages: Invalid value: 9: .*; spec\.owner: Required value\n(.*\n){4} {2}and 2 more\n.*--force-definitions/,
    );
    expect(await revision()).toBe(before);
  });

  test("do not prevent it when they are corrected, or with force", async () => {
    await registerDefinitions(client, [Site], { log });
    await create("hello", { title: "x", pages: 9 });
    await registerDefinitions(client, [Stricter], { log, force: true });
    expect(warnings()).toEqual(["forced a schema that stored objects violate"]);
    await client.patch(Site, "hello", { spec: { owner: "me", pages: 5 } });
    const Strictest = site(
      z.object({ title: z.string(), owner: z.string().min(2), pages: z.number().int().max(5) }),
    );
    await registerDefinitions(client, [Strictest], { log });
  });

  test("are reported when fields would be pruned", async () => {
    await registerDefinitions(client, [Site], { log });
    await create("hello", { title: "x", pages: 9 });
    await registerDefinitions(client, [site(z.object({ title: z.string() }))], { log });
    expect(lines.find(({ level }) => level === "warn")?.fields).toMatchObject({ fields: ["spec.pages"] });
  });

  test("are validated on all pages", async () => {
    await registerDefinitions(client, [Site], { log });
    for (let number = 0; number < 600; number++)
      await create(`s${number}`, { title: number === 599 ? "x" : "xx" });
    const Longer = site(z.object({ title: z.string().min(2), pages: z.number().int().default(1) }));
    await expect(registerDefinitions(client, [Longer], { log })).rejects.toThrow(
      /1 of 600.*\n {2}default\/s599: spec.title/,
    );
  });
});

test("refuses changes that are not possible, with the remedy", async () => {
  await registerDefinitions(client, [Site], { log });
  const Wide = site(z.object({ title: z.string() }), { scope: "Cluster" });
  await expect(registerDefinitions(client, [Wide], { log, force: true })).rejects.toThrow(
    /its scope is Namespaced and cannot be changed to Cluster; .*kubectl delete crd sites\.demo\.dev/,
  );
  const Second = resource("demo.dev/v2", "Site", { spec: z.object({ title: z.string() }) });
  await expect(registerDefinitions(client, [Second], { log })).rejects.toThrow(
    /stored as v1, which v2 alone/,
  );
});

test("names every kind that is refused", async () => {
  const Page = (spec: z.ZodObject) => resource("demo.dev/v1", "Page", { spec });
  await registerDefinitions(client, [Site, Page(z.object({}))], { log });
  await create("hello", { title: "x" });
  await client.create({
    apiVersion: "demo.dev/v1",
    kind: "Page",
    metadata: { name: "one" },
    spec: {},
  } as never);
  const needs = z.object({ needed: z.string() });
  await expect(registerDefinitions(client, [site(needs), Page(needs)], { log })).rejects.toThrow(
    /sites\.demo\.dev was not registered[^]*pages\.demo\.dev was not registered/,
  );
});

test("the definition of another project is left alone if the program can use it, whoever applied it", async () => {
  const gateway = (spec: z.ZodObject) =>
    resource("gateway.networking.k8s.io/v1", "Gateway", { spec, approval: "https://example.com/pull/1" });
  const few = z.object({ name: z.string().optional() });
  const all = few.extend({ infrastructure: z.string().optional() });
  await client.apply(customResourceDefinition(gateway(all)) as never, { fieldManager: "fettle" });
  const before = await revision();
  await registerDefinitions(client, [gateway(few)], { log });
  expect(await revision()).toBe(before);
  await registerDefinitions(client, [gateway(all.extend({ needed: z.string().optional() }))], { log });
  expect(await revision()).toBeGreaterThan(before);
});

describe("a definition of another field manager", () => {
  const theirs = (kind: typeof Site) =>
    client.create(customResourceDefinition(kind) as never, { fieldManager: "helm" });

  test("is left alone without a warning when it is the same", async () => {
    await theirs(Site);
    const before = await revision();
    await registerDefinitions(client, [Site], { log });
    expect(lines).toEqual([]);
    expect(otherManagers(await definition())).toEqual(["helm"]);
    expect(await revision()).toBe(before);
  });

  test("is left alone, with a warning, when the program can use it", async () => {
    await theirs(
      site(z.object({ title: z.string().max(9), pages: z.number().int(), extra: z.string().optional() })),
    );
    const before = await revision();
    await registerDefinitions(client, [Site], { log });
    expect(warnings()).toEqual([expect.stringContaining("belongs to another field manager")]);
    expect(await revision()).toBe(before);
  });

  test("is refused when fields are missing, unless forced", async () => {
    await theirs(site(z.object({ title: z.number(), size: z.number() })));
    await expect(registerDefinitions(client, [Site], { log })).rejects.toThrow(
      /belongs to helm and lacks what this program needs: spec\.title is number there, and string here, spec\.pages is unknown there, spec\.size is required there, and unknown here; update it as helm/,
    );
    await registerDefinitions(client, [Site], { log, force: true });
    await registerDefinitions(client, [Site], { log });
    await create("hello", { title: "x" });
  });

  test("with the same names is refused", async () => {
    const Other = resource("demo.dev/v1", "Site", { plural: "webs", singular: "web", spec: z.object({}) });
    await theirs(Other);
    await expect(registerDefinitions(client, [Site], { log, timeout: "5s" })).rejects.toThrow(
      /names are taken: .*Site/,
    );
  });
});

describe("a user without permission for definitions", () => {
  const forbidden = (verbs: readonly string[]): Client => {
    const refuse = () =>
      Promise.reject(
        failures.forbidden(
          { group: "apiextensions.k8s.io", resource: "customresourcedefinitions" },
          "sites.demo.dev",
          "no",
        ),
      );
    return new Proxy(client, {
      get: (target, name) => {
        if (verbs.includes(String(name))) return refuse;
        const found: unknown = Reflect.get(target, name);
        return typeof found === "function" ? found.bind(target) : found;
      },
    });
  };

  test("assumes that definitions exist", async () => {
    await registerDefinitions(forbidden(["find"]), [Site], { log });
    expect(warnings()).toEqual([expect.stringContaining("no permission to read the definition")]);
  });

  test("refuses a missing definition without permission to write", async () => {
    await expect(registerDefinitions(forbidden(["apply"]), [Site], { log })).rejects.toThrow(
      /sites\.demo\.dev is missing, and this user has no permission to write definitions: .*generate crds/,
    );
  });
});
