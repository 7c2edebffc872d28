import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { duration, VirtualClock } from "../../model/core.js";
import type { EventInput } from "../../model/cloud-events/cloud-event.js";
import { substituteVariables } from "../../plane/config/substitute.js";
import { silent } from "../../runtime/log/log.js";
import { testEvents } from "../../testing/events/test-events.js";
import { testPlugin } from "../../testing/events/test-plugin.js";
import { sampleEvent } from "../fixtures/deliver.js";
import { httpReceiver } from "../fixtures/http-receiver.js";
import { definePlugin, type PluginDescription } from "./define-plugin.js";
import { loadPlugins, type PluginsOptions } from "./load-plugins.js";
import { startPlugins, type StartPluginsOptions } from "./start-plugins.js";

const parts = (change: Partial<StartPluginsOptions> = {}): StartPluginsOptions => ({
  clock: new VirtualClock(),
  log: silent,
  emit: async (event: EventInput) => sampleEvent({ ...event }),
  ...change,
});

const named = (name: string, change: Partial<PluginDescription> = {}) =>
  definePlugin({ name, version: "1.0.0", setup() {}, ...change });

describe("a plugin is refused", () => {
  test.each<[string, Partial<PluginDescription>, string]>([
    ["with a malformed name", { name: "My Plugin" }, '"My Plugin" is not a name for a plugin'],
    ["without a version", { version: "" }, "plugin p has no version"],
    ["that does nothing", { setup: undefined }, "plugin p has neither setup nor onEvent"],
    [
      "with an unknown permission",
      { permissions: ["files"] },
      'plugin p: "files" is not a permission: use "http:HOST"',
    ],
    [
      "with a malformed host",
      { permissions: ["http:https://x/"] },
      'plugin p: "http:https://x/" is not a permission',
    ],
    ["with a malformed pattern", { permissions: ["emit:a..b"] }, "is not a pattern for event types"],
    ["that may get no events", { onEvent() {}, permissions: ["state"] }, "its permissions allow no events"],
  ])("%s", (_, change, message) => {
    const description = { name: "p", version: "1", setup() {}, onEvent() {}, ...change };
    if ("setup" in change) Reflect.deleteProperty(description, "onEvent");
    expect(() => definePlugin(description)).toThrow(message);
  });
});

describe("setup", () => {
  test("runs in order, with a validated configuration; stop runs in reverse", async () => {
    const order: string[] = [];
    const config = z.object({ level: z.coerce.number() });
    const plugin = (name: string) =>
      definePlugin({
        name,
        version: "1.0.0",
        config,
        setup({ config: { level }, onStop, signal }) {
          order.push(`${name} ${level + 1}`);
          onStop(() => order.push(`${name} stopped ${signal.aborted}`));
        },
      });
    const started = await startPlugins(
      ["a", "b"].map((name) => ({ name, plugin: plugin(name), config: { level: "7" } })),
      parts(),
    );
    expect(started.plugins).toEqual([
      { name: "a", version: "1.0.0" },
      { name: "b", version: "1.0.0" },
    ]);
    await started.stop();
    expect(order).toEqual(["a 8", "b 8", "b stopped true", "a stopped true"]);
  });

  test("that throws is an error with the name of the plugin, and stops those before it", async () => {
    const stopped: string[] = [];
    const first = named("first", { setup: ({ onStop }) => onStop(() => stopped.push("first")) });
    const failing = named("failing", {
      setup({ onStop }) {
        onStop(() => stopped.push("failing"));
        throw new Error("no licence");
      },
    });
    await expect(startPlugins([first, failing], parts())).rejects.toThrow(
      "plugin failing could not be set up: no licence",
    );
    expect(stopped).toEqual(["failing", "first"]);
  });

  test("that throws in an optional plugin leaves the others alone, and its health shows it", async () => {
    const failing = named("failing", {
      setup() {
        throw new Error("no licence");
      },
    });
    const started = await startPlugins(
      [{ name: "failing", plugin: failing, optional: true }, named("other")],
      parts(),
    );
    expect(started.plugins).toEqual([
      { name: "failing", error: "plugin failing could not be set up: no licence" },
      { name: "other", version: "1.0.0" },
    ]);
    const results = await Promise.all(
      started.healthChecks.map(async ({ name, check }) => [name, await check(new AbortController().signal)]),
    );
    expect(results).toEqual([
      ["plugin-failing", { ok: false, message: "plugin failing could not be set up: no licence" }],
      ["plugin-other", "1.0.0, handled 0 events"],
    ]);
  });

  test("that never ends is an error with the name of the plugin", async () => {
    const clock = new VirtualClock();
    const hanging = named("hanging", { setup: () => new Promise(() => {}) });
    const started = startPlugins([hanging], parts({ clock, setupTimeout: "5s" }));
    started.catch(() => {});
    await clock.advance(5000);
    await expect(started).rejects.toThrow(
      "plugin hanging could not be set up: its setup took longer than 5s",
    );
  });

  test("is not called with an invalid configuration", async () => {
    const plugin = definePlugin({
      name: "strict",
      version: "1.0.0",
      config: z.strictObject({ url: z.url(), nested: z.object({ port: z.number() }) }),
      setup: () => expect.unreachable("the configuration is invalid"),
    });
    const config = { url: "hunter2", nested: { port: "80" }, more: 1 };
    const started = startPlugins([{ name: "strict", plugin, config }], parts());
    await expect(started).rejects.toThrow(
      /^plugin strict has an invalid configuration: config\.url: .*; config\.nested\.port: .*; config: Unrecognized key: "more"$/,
    );
    await expect(started).rejects.not.toThrow(/hunter2/);
  });

  test("is not called if the configuration cannot be transformed, and the error names the field", async () => {
    const timeouts = z.object({ connect: z.string().transform(duration) });
    const plugin = definePlugin({
      name: "patient",
      version: "1.0.0",
      config: z.object({ url: z.url(), timeouts }),
      setup: () => expect.unreachable("the configuration is invalid"),
    });
    const config = { url: "http://localhost/", timeouts: { connect: "5x" } };
    await expect(startPlugins([{ name: "patient", plugin, config }], parts())).rejects.toThrow(
      /^plugin patient has an invalid configuration: config\.timeouts\.connect: invalid duration "5x"/,
    );
  });

  test("of two plugins with one name is refused", async () => {
    await expect(startPlugins([named("a"), named("a")], parts())).rejects.toThrow(
      "plugin a is installed twice",
    );
  });
});

describe("onEvent", () => {
  const echo = (change: Partial<PluginDescription> = {}) =>
    definePlugin({
      name: "echo",
      version: "1.0.0",
      on: "a.*",
      onEvent: ({ data }) => ({ type: "b.echo", data }),
      ...change,
    });

  test("may return an event, several, or none; they are emitted with their cause", async () => {
    await using one = await testPlugin(echo());
    const { event, emitted } = await one.deliver({ type: "a.x", data: 1 });
    expect(emitted).toMatchObject([
      {
        type: "b.echo",
        data: 1,
        source: "/plugins/echo",
        cause: event.id,
        hops: 1,
        id: `${event.id}-echo-0`,
      },
    ]);
    await using several = await testPlugin(echo({ onEvent: () => [{ type: "b.one" }, { type: "b.two" }] }));
    expect((await several.deliver({ type: "a.x" })).emitted.map(({ type }) => type)).toEqual([
      "b.one",
      "b.two",
    ]);
    await using none = await testPlugin(echo({ onEvent: () => null }));
    expect((await none.deliver({ type: "a.x" })).emitted).toEqual([]);
  });

  test("must not return anything else", async () => {
    await using plugin = await testPlugin(
      echo({ onEvent: () => ({ kind: "mistake" }) as unknown as EventInput }),
    );
    expect((await plugin.deliver({ type: "a.x" })).dead[0]?.reason).toBe(
      "onEvent must return an event with a type, a list of them, or nothing",
    );
  });

  test("emits a returned event once although the event is handled again", async () => {
    let calls = 0;
    const plugin = echo({
      async onEvent(event, { emit }) {
        calls++;
        await emit({ id: `${event.id}-note`, type: "b.note" });
        return [{ type: "b.one" }, ...(calls < 3 ? [{ type: "not a type" }] : [])];
      },
    });
    await using running = await testPlugin(plugin);
    const { emitted, dead } = await running.deliver({ type: "a.x" });
    expect(dead).toEqual([]);
    expect(calls).toBe(3);
    expect(emitted.map(({ type }) => type)).toEqual(["b.note", "b.one"]);
  });

  test("that throws is tried again, becomes a dead letter, and shows in the health until it works", async () => {
    let isBroken = true;
    const plugin = echo({
      onEvent() {
        if (isBroken) throw new Error("out of ideas");
      },
    });
    await using running = await testPlugin(plugin);
    expect((await running.deliver({ type: "a.x" })).dead).toMatchObject([
      { subscription: "plugin-echo", reason: "out of ideas", attempts: 4 },
    ]);
    expect(await running.health()).toEqual({
      ok: false,
      message: "the last 4 calls of onEvent failed: out of ideas",
    });
    isBroken = false;
    await running.deliver({ type: "a.x" });
    expect(await running.health()).toBe("1.0.0, handled 1 event");
  });

  test("that never returns ends at its time limit, and does not hold up other plugins", async () => {
    const hanging = echo({
      name: "hanging",
      retries: 0,
      timeout: "5s",
      onEvent: () => new Promise(() => {}),
    });
    await using events = await testEvents({ plugins: [hanging, echo()] });
    const delivered = events.deliver({ type: "a.x" });
    await events.clock.advance(1000);
    expect(events.emitted).toHaveLength(1);
    await events.clock.advance(4000);
    expect((await delivered).dead).toMatchObject([
      { reason: "handler plugin-hanging took longer than 5s and was aborted" },
    ]);
  });

  test("of two plugins that answer each other is stopped", async () => {
    const ping = echo({ name: "ping", on: "a.ping", onEvent: () => ({ type: "a.pong" }) });
    const pong = echo({ name: "pong", on: "a.pong", onEvent: () => ({ type: "a.ping" }) });
    await using events = await testEvents({ plugins: [ping, pong] });
    const { emitted, dead } = await events.deliver({ type: "a.ping" });
    expect(emitted).toHaveLength(16);
    expect(dead[0]?.reason).toContain("it is the last of 17 events that caused each other");
  });

  test("has the parts of the context, its own state among them", async () => {
    const counting = (name: string) =>
      definePlugin({
        name,
        version: "1.0.0",
        on: "a.x",
        async onEvent(_, { state }) {
          const count = (await state.get<number>("count")) ?? 0;
          await state.set("count", count + 1, { ttl: "1m" });
          return { type: "b.count", data: count + 1 };
        },
      });
    await using events = await testEvents({ plugins: [counting("one"), counting("two")] });
    await events.deliver({ type: "a.x" });
    const { emitted } = await events.deliver({ type: "a.x" });
    expect(emitted.map(({ data }) => data)).toEqual([2, 2]);
    await events.advance("1m");
    expect((await events.deliver({ type: "a.x" })).emitted.map(({ data }) => data)).toEqual([1, 1]);
  });

  test("can have a health check of its own", async () => {
    await using plugin = await testPlugin(echo({ health: () => ({ ok: false, message: "no quota left" }) }));
    expect(await plugin.health()).toEqual({ ok: false, message: "no quota left" });
  });
});

describe("permissions", () => {
  const failing = async (
    permissions: readonly string[],
    onEvent: PluginDescription["onEvent"],
  ): Promise<string | undefined> => {
    await using plugin = await testPlugin(
      definePlugin({ name: "p", version: "1.0.0", permissions, on: "a.*", retries: 0, onEvent }),
    );
    return (await plugin.deliver({ type: "a.x" })).dead[0]?.reason;
  };

  test("limit the events that a plugin emits", async () => {
    const emitting = (type: string) => () => ({ type });
    const permissions = ["events:a.*", "emit:health_check.*"];
    expect(await failing(permissions, emitting("health_check.completed"))).toBeUndefined();
    expect(await failing(permissions, emitting("config.deleted"))).toBe(
      'plugin p may not emit events of type config.deleted: its permissions do not have "emit:config.deleted"',
    );
    expect(await failing(["events:**"], (_, { emit }) => emit({ type: "b.c" }))).toContain('"emit:b.c"');
  });

  test("limit the events that it receives, whatever it subscribes to", async () => {
    const seen: string[] = [];
    const permissions = ["events:a.x"];
    const onEvent: PluginDescription["onEvent"] = ({ type }) => void seen.push(type);
    await using plugin = await testPlugin(
      definePlugin({ name: "p", version: "1.0.0", permissions, on: "**", onEvent }),
    );
    await plugin.deliver({ type: "a.y" });
    await plugin.deliver({ type: "a.x" });
    expect(seen).toEqual(["a.x"]);
    expect(definePlugin({ name: "p", version: "1", permissions, onEvent }).on).toEqual(["a.x"]);
  });

  test("limit the state and the hosts", async () => {
    expect(await failing(["events:**"], async (_, { state }) => void (await state.get("x")))).toBe(
      'plugin p may not use the state: its permissions do not have "state"',
    );
    expect(
      await failing(["events:**", "state"], async (_, { state }) => void (await state.get("x"))),
    ).toBeUndefined();
    await using server = await httpReceiver();
    const { host, port } = new URL(server.url);
    const calling: PluginDescription["onEvent"] = async (_, { http }) => void (await http.get(server.url));
    for (const allowed of ["http:127.0.0.1", `http:127.0.0.1:${port}`, "http:*", `http:*:${port}`]) {
      expect(await failing(["events:**", allowed], calling)).toBeUndefined();
    }
    for (const other of ["http:127.0.0.1:1", "http:*.0.0.1.example.com", "http:localhost", "state"]) {
      expect(await failing(["events:**", other], calling)).toBe(
        `plugin p may not call ${host}: its permissions do not have "http:${host}"`,
      );
    }
    expect(server.requests).toHaveLength(4);
  });

  test("of a host with a wildcard allow hosts below it only", async () => {
    const calling =
      (url: string): PluginDescription["onEvent"] =>
      async (_, { http }) =>
        void (await http.get(url, { timeout: 1 }).catch((error: Error) => {
          if (error.name === "PluginPermissionError") throw error;
        }));
    const permissions = ["events:**", "http:*.example.invalid"];
    expect(await failing(permissions, calling("http://api.example.invalid/"))).toBeUndefined();
    for (const url of [
      "http://example.invalid/",
      "http://badexample.invalid/",
      "http://api.example.invalid.evil.invalid/",
    ]) {
      expect(await failing(permissions, calling(url))).toContain("may not call");
    }
  });
});

describe("the HTTP client", () => {
  const call = async (onEvent: NonNullable<PluginDescription["onEvent"]>) => {
    await using plugin = await testPlugin(
      definePlugin({ name: "p", version: "1.0.0", on: "a.x", retries: 0, onEvent }),
    );
    return await plugin.deliver({ type: "a.x" });
  };

  test("sends and receives JSON, and returns errors of the server as responses", async () => {
    await using server = await httpReceiver();
    server.respond = () => ({ status: 404, json: { error: "unknown" } });
    const { emitted } = await call(async (_, { http }) => {
      const response = await http.post(server.url, { json: { a: 1 }, headers: { "x-key": "k" } });
      return { type: "b.c", data: { status: response.status, ok: response.ok, json: response.json() } };
    });
    expect(emitted[0]?.data).toEqual({ status: 404, ok: false, json: { error: "unknown" } });
    expect(server.requests[0]).toMatchObject({
      method: "POST",
      body: '{"a":1}',
      headers: { "content-type": "application/json", "x-key": "k" },
    });
  });

  test("has a time limit, and limits for addresses", async () => {
    await using server = await httpReceiver();
    server.respond = () => "hang";
    const clock = new VirtualClock();
    const delivered: Promise<unknown>[] = [];
    const plugin = definePlugin({
      name: "p",
      version: "1.0.0",
      setup: ({ http }) => void delivered.push(http.get(server.url, { timeout: "2s" })),
    });
    await startPlugins([plugin], parts({ clock }));
    delivered[0]?.catch(() => {});
    while (server.requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
    await clock.advance(2000);
    await expect(delivered[0]).rejects.toThrow(
      /the request of plugin p to 127\.0\.0\.1:\d+ took longer than 2s/,
    );
    const { dead } = await call(async (_, { http }) => void (await http.get("file:///etc/passwd")));
    expect(dead[0]?.reason).toBe("plugin p: the address of a request must begin with http:// or https://");
  });
});

describe("plugins of a configuration", () => {
  const source = (name: string): string =>
    `export default { name: "${name}", version: "2.0.0", on: "a.x", onEvent: (event, { config }) => ({ type: "b.${name}", data: config }) };`;

  async function folder(files: Readonly<Record<string, string>>): Promise<string> {
    const cwd = await mkdtemp(join(tmpdir(), "fettle-plugins-"));
    onTestFinished(() => rm(cwd, { recursive: true, force: true }));
    for (const [path, text] of Object.entries(files)) {
      await mkdir(join(cwd, path, ".."), { recursive: true });
      await writeFile(join(cwd, path), text);
    }
    return cwd;
  }
  const start = async (
    options: PluginsOptions,
    files: Readonly<Record<string, string>>,
    env: Record<string, string> = {},
  ) => {
    const cwd = await folder(files);
    const substitute = (text: string): string => substituteVariables(text, env).text;
    return testEvents({ plugins: loadPlugins(options, { cwd, substitute }) });
  };

  test("are loaded from a directory, as modules or packages, and from npm packages", async () => {
    const files = {
      "plugins/one.mjs": source("one"),
      "plugins/two.ts": `const name: string = "two";\n${source("two")}\nexport { name };`,
      "plugins/three/index.mjs": source("three"),
      "plugins/four/package.json": '{ "type": "module", "main": "lib/main.js" }',
      "plugins/four/lib/main.js": source("four"),
      "node_modules/@acme/five/package.json":
        '{ "type": "module", "exports": { ".": { "import": "./five.js" } } }',
      "node_modules/@acme/five/five.js": source("five"),
    };
    const names = ["one", "two", "three", "four"].map((name) => ({ name }));
    const installed = [
      ...names,
      { name: "five", package: "@acme/five", config: { url: "${URL}", list: ["${URL}"] } },
    ];
    await using events = await start({ directory: "plugins", installed }, files, { URL: "http://x" });
    const { emitted } = await events.deliver({ type: "a.x" });
    expect(emitted.map(({ type }) => type).toSorted()).toEqual([
      "b.five",
      "b.four",
      "b.one",
      "b.three",
      "b.two",
    ]);
    expect(emitted.find(({ type }) => type === "b.five")?.data).toEqual({
      url: "http://x",
      list: ["http://x"],
    });
  });

  test("are not loaded if they are disabled, alone or all of them", async () => {
    const files = { "plugins/one.mjs": source("one"), "plugins/two.mjs": "throw new Error('not loaded');" };
    const config = { url: "${MISSING}" };
    const installed = [{ name: "one" }, { name: "two", enabled: false, config }];
    await using some = await start({ directory: "plugins", installed }, files);
    expect(some.plugins.plugins).toEqual([{ name: "one", version: "2.0.0" }]);
    await using none = await start({ enabled: false, directory: "nowhere", installed }, files);
    expect(none.plugins.plugins).toEqual([]);
  });

  const files = {
    "plugins/one.mjs": source("one"),
    "plugins/broken.mjs": "syntax error",
    "plugins/empty.mjs": "export const x = 1;",
  };
  test.each<[string, PluginsOptions, string | RegExp]>([
    [
      "a variable that is not set",
      { directory: "plugins", installed: [{ name: "one", config: { webhook_url: "${SLACK_WEBHOOK_URL}" } }] },
      "plugin one: config.webhook_url: the variable SLACK_WEBHOOK_URL is not set",
    ],
    [
      "an unknown plugin",
      { directory: "plugins", installed: [{ name: "other" }] },
      /^plugin other was not found in .*plugins, which has broken\.mjs, empty\.mjs, one\.mjs, nor as the npm package other$/,
    ],
    [
      "an unknown package",
      { installed: [{ name: "p", package: "@acme/p" }] },
      "plugin p was not found as the npm package @acme/p",
    ],
    [
      "a missing directory",
      { directory: "nowhere" },
      /^the directory of plugins, .*nowhere, does not exist$/,
    ],
    [
      "a path as a name",
      { directory: "plugins", installed: [{ name: "../plugins/one" }] },
      '"../plugins/one" is not a name of a plugin',
    ],
    [
      "a path as a package",
      { installed: [{ name: "p", package: "../x" }] },
      'plugin p: "../x" is not a name of a package',
    ],
    [
      "a module that cannot be loaded",
      { directory: "plugins", installed: [{ name: "broken" }] },
      /^plugin broken could not be loaded from plugins\/broken\.mjs: /,
    ],
    [
      "a module without a plugin",
      { directory: "plugins", installed: [{ name: "empty" }] },
      "plugin empty is not in plugins/empty.mjs, which exports no plugin: export the result of definePlugin()",
    ],
  ])("fail at the start with %s", async (_, options, message) => {
    await expect(start(options, files)).rejects.toThrow(message);
  });

  test("that are optional may be missing", async () => {
    const installed = [{ name: "other", optional: true }, { name: "one" }];
    await using events = await start({ directory: "plugins", installed }, files);
    expect(events.plugins.plugins).toMatchObject([
      { error: expect.stringContaining("was not found") as string },
      { name: "one" },
    ]);
  });
});
