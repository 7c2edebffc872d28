import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { httpReceiver } from "../../src/events/fixtures/http-receiver.js";
import { eventParts } from "../../src/plane/config/control-loop.js";
import { loadConfig } from "../../src/plane/config/load-config.js";
import { controlPlane, type ControlPlane } from "../../src/plane/control-plane.js";

const nrdot = new URL("../../src/plane/config/sections/fixtures/nrdot.yaml", import.meta.url);

interface Given {
  readonly yaml: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
}

async function partsOf({ yaml, files = {}, env = {} }: Given) {
  const cwd = await mkdtemp(join(tmpdir(), "fettle-parts-"));
  onTestFinished(() => rm(cwd, { recursive: true, force: true }));
  for (const [name, text] of Object.entries({ "fettle.yaml": yaml, ...files })) {
    await mkdir(dirname(join(cwd, name)), { recursive: true });
    await writeFile(join(cwd, name), text);
  }
  const { config } = await loadConfig({ cwd, env });
  return { cwd, parts: await eventParts(config, [], cwd) };
}

async function start(given: Given): Promise<ControlPlane & { readonly cwd: string }> {
  const { cwd, parts } = await partsOf(given);
  const plane = await controlPlane({ store: "memory", listen: false, ...parts });
  onTestFinished(() => plane.stop());
  return { ...plane, cwd };
}

const dead = async (plane: ControlPlane) => await plane.events.dead();

describe("each key of event_pipeline changes behaviour", () => {
  const refusing =
    "[{ name: checks, handlers: [SchemaValidator, { name: SecurityValidator, options: { maxSize: 100 } }] }]";
  const large = { type: "large.event", data: "x".repeat(500) };

  test("stages, their names, handlers and options", async () => {
    const strict = await start({ yaml: `event_pipeline:\n  on: [large.event]\n  stages: ${refusing}\n` });
    await strict.events.emit(large);
    await vi.waitFor(async () => expect(await dead(strict)).toHaveLength(1));
    expect((await dead(strict))[0]?.reason).toContain("SecurityValidator (stage checks)");

    const renamed = await start({
      yaml: `event_pipeline:\n  on: [large.event]\n  stages: ${refusing.replace("checks", "other")}\n`,
    });
    await renamed.events.emit(large);
    await vi.waitFor(async () => expect((await dead(renamed))[0]?.reason).toContain("(stage other)"));

    const lax = await start({
      yaml: `event_pipeline:\n  on: [large.event]\n  stages: ${refusing.replace("maxSize: 100", "maxSize: 64Ki")}\n`,
    });
    await lax.events.emit(large);
    await vi.waitFor(() =>
      expect(lax.events.subscriptions()).toMatchObject([{ name: "pipeline", handled: 1 }]),
    );
    expect(await dead(lax)).toEqual([]);
  });

  test.each([
    ["", ["**"], false],
    ["on: [large.*], ", ["large.*"], false],
    ["durable: true, ", ["**"], true],
  ])("event_pipeline: { %s… }", async (text, on, durable) => {
    const plane = await start({ yaml: `event_pipeline: { ${text}stages: ${refusing} }\n` });
    expect(plane.events.subscriptions()).toMatchObject([{ name: "pipeline", on, durable }]);
  });

  test("unknown handlers are an error at the start that names them", async () => {
    const yaml = (await readFile(nrdot, "utf8")).replace("directory: /etc/nrdot/plugins", "enabled: false");
    const lines = yaml.replace("  enabled: true\n  enabled: false", "  enabled: false");
    await expect(start({ yaml: lines, env: { SLACK_WEBHOOK_URL: "https://a.example" } })).rejects.toThrow(
      'the pipeline has unknown handlers: "ConfigUpdateHandler" (stage processing), "HealthCheckHandler" (stage processing)',
    );
    await expect(start({ yaml: "event_pipeline: {}\n" })).rejects.toThrow("the pipeline has no stages");
  });
});

describe("each key of a sink changes behaviour", () => {
  test("type, name, on, url, mode, secret and headers of http", async () => {
    await using server = await httpReceiver();
    const sinks = (text: string): string =>
      `sinks:\n  - { type: http, name: one, url: "${server.url}", ${text} }\n`;
    const sent = async (text: string) => {
      const plane = await start({ yaml: sinks(text) });
      const before = server.requests.length;
      await plane.events.emit({ type: "test.unwanted" });
      await plane.events.emit({ type: "test.wanted" });
      await vi.waitFor(() => expect(server.requests.length).toBeGreaterThan(before));
      await vi.waitFor(() => expect(plane.events.subscriptions()[0]?.waiting).toBe(0));
      return { plane, requests: server.requests.slice(before) };
    };
    const plain = await sent("on: [test.wanted]");
    expect(plain.requests).toHaveLength(1);
    expect(plain.requests[0]?.headers["content-type"]).toContain("application/cloudevents+json");
    expect(plain.requests[0]?.headers).not.toHaveProperty("webhook-signature");
    expect(plain.plane.events.subscriptions()).toMatchObject([{ name: "sink-one", durable: true }]);
    const [binary] = (await sent("on: [test.wanted], mode: binary, durable: false")).requests;
    expect(binary?.headers["ce-type"]).toBe("test.wanted");
    const [signed] = (await sent('on: [test.wanted], secret: hush, headers: { X-Team: "ops" }')).requests;
    expect(signed?.headers).toMatchObject({ "webhook-signature": expect.any(String), "x-team": "ops" });
  });

  test("path of a file", async () => {
    const plane = await start({
      yaml: "sinks:\n  - { type: file, name: f, path: out/events.jsonl }\n",
      files: { "out/.keep": "" },
    });
    await plane.events.emit({ type: "test.written" });
    const read = () => readFile(join(plane.cwd, "out/events.jsonl"), "utf8");
    await vi.waitFor(async () => expect(await read()).toContain("test.written"));
  });

  test("all others are passed on as they are", async () => {
    const yaml = `
sinks:
  - { type: http, name: a, url: "https://a.example", timeout: 5, retries: 2, concurrency: 3, breaker: { failures: 2, openFor: 1m } }
  - { type: slack, name: b, url: "https://b.example", channel: "#one", channels: ["#two"] }
  - { type: file, name: c, path: /tmp/c, maxSize: 1Mi, keep: 3, fsync: each }
  - { type: stdout, name: d, format: document }
`;
    expect((await partsOf({ yaml })).parts.sinks).toEqual([
      {
        type: "http",
        name: "a",
        url: "https://a.example",
        timeout: "5s",
        retries: 2,
        concurrency: 3,
        breaker: { failures: 2, openFor: "1m" },
      },
      { type: "slack", name: "b", url: "https://b.example", channel: "#one", channels: ["#two"] },
      { type: "file", name: "c", path: "/tmp/c", maxSize: "1Mi", keep: 3, fsync: "each" },
      { type: "stdout", name: "d", format: "document" },
    ]);
  });
});

describe("each key of plugins changes behaviour", () => {
  const echo = `
export default {
  name: "echo",
  version: "1.0.0",
  setup: ({ config }) => { if (config.broken) throw new Error("broken on purpose"); },
  onEvent: (event, { config }) => event.type === "ping" ? { type: "pong", data: config } : undefined,
};
`;
  const files = { "plugins/echo.mjs": echo };

  async function answer(plugins: string, more: Partial<Given> = {}): Promise<unknown> {
    const plane = await start({ files, ...more, yaml: `plugins: ${plugins}\n` });
    const answers: unknown[] = [];
    plane.events.subscribe("pong", (event) => void answers.push(event.data));
    await plane.events.emit({ type: "ping" });
    if (!plane.events.subscriptions().some(({ name }) => name.includes("echo"))) return undefined;
    await vi.waitFor(() => expect(answers).toHaveLength(1));
    return answers[0];
  }

  test.each([
    ["{ directory: plugins, installed: [{ name: echo, config: { a: 1 } }] }", { a: 1 }],
    ["{ directory: plugins, installed: [{ name: echo, config: { a: [2] } }] }", { a: [2] }],
    ["{ directory: plugins, enabled: false, installed: [{ name: echo }] }", undefined],
    ["{ directory: plugins, installed: [{ name: echo, enabled: false }] }", undefined],
    [
      "{ directory: plugins, installed: [{ name: echo, config: { broken: true }, optional: true }] }",
      undefined,
    ],
  ])("plugins: %s", async (plugins, expected) => {
    expect(await answer(plugins)).toEqual(expected);
  });

  test("directory, package, and variables, which are replaced once", async () => {
    const installed = "installed: [{ name: echo, config: { a: '${A}', b: '$${A}' } }]";
    expect(await answer(`{ directory: plugins, ${installed} }`, { env: { A: "$${x}" } })).toEqual({
      a: "$${x}",
      b: "${A}",
    });
    const moved = { files: { "elsewhere/echo.mjs": echo } };
    await expect(answer("{ directory: plugins, installed: [{ name: echo }] }", moved)).rejects.toThrow(
      /directory of plugins, .*plugins, does not exist/,
    );
    expect(await answer("{ directory: elsewhere, installed: [{ name: echo, config: {} }] }", moved)).toEqual(
      {},
    );
    const packaged = {
      files: {
        "node_modules/@acme/echo/package.json":
          '{ "name": "@acme/echo", "type": "module", "main": "index.js" }',
        "node_modules/@acme/echo/index.js": echo,
      },
    };
    expect(
      await answer('{ installed: [{ name: echo, package: "@acme/echo", config: {} }] }', packaged),
    ).toEqual({});
  });

  test("unknown plugins, and those that fail, are an error at the start that names them", async () => {
    await expect(answer("{ directory: plugins, installed: [{ name: ehco }] }")).rejects.toThrow(
      /plugin ehco was not found in .*which has echo\.mjs/,
    );
    await expect(
      answer("{ directory: plugins, installed: [{ name: echo, config: { broken: true } }] }"),
    ).rejects.toThrow(/plugin echo.*broken on purpose/);
  });
});
