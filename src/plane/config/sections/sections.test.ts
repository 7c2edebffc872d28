import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { LoadedConfig } from "../config.js";
import { loadConfig } from "../load-config.js";
import { peersOptions } from "./configured-peers.js";
import { configObject, configYaml, shownSettings } from "../show-config.js";

const nrdot = await readFile(new URL("fixtures/nrdot.yaml", import.meta.url), "utf8");
const webhook = { SLACK_WEBHOOK_URL: "https://hooks.slack.example/T0/B0/xyz" };

type Env = Readonly<Record<string, string>>;

async function folderOf(text: string): Promise<string> {
  const cwd = await mkdtemp(join(tmpdir(), "fettle-config-"));
  onTestFinished(() => rm(cwd, { recursive: true, force: true }));
  await writeFile(join(cwd, "fettle.yaml"), text);
  return cwd;
}

async function load(text: string, env: Env = {}): Promise<LoadedConfig & { readonly cwd: string }> {
  const cwd = await folderOf(text);
  return { ...(await loadConfig({ cwd, env })), cwd };
}

async function problems(text: string, env: Env = {}): Promise<readonly string[]> {
  const error: unknown = await load(text, env).catch((error: unknown) => error);
  expect(error).toHaveProperty("name", "ConfigError");
  return (error as Error).message.split("\n");
}

test("the sections of the document load as they are", async () => {
  const { config, origins } = await load(nrdot, webhook);
  expect(config.event_pipeline?.stages?.map(({ name, handlers }) => [name, handlers.length])).toEqual([
    ["validation", 2],
    ["enrichment", 2],
    ["processing", 3],
    ["persistence", 2],
  ]);
  expect(config.reconciliation?.strategies).toEqual([
    {
      name: "immediate",
      description: "Apply changes immediately",
      conditions: [{ priority: "critical" }, { type: "security_update" }],
    },
    {
      name: "batched",
      description: "Batch changes for efficiency",
      batch_size: 10,
      batch_timeout: "30s",
      conditions: [{ priority: "normal" }, { type: "configuration_update" }],
    },
    {
      name: "scheduled",
      description: "Apply during maintenance window",
      schedule: "0 2 * * *",
      conditions: [{ priority: "low" }, { type: "optimization" }],
    },
  ]);
  expect(config.plugins).toEqual({
    enabled: true,
    directory: "/etc/nrdot/plugins",
    installed: [
      {
        name: "custom-health-checker",
        enabled: true,
        config: { endpoint: "https://api.example.com/health", timeout: "5s" },
      },
      {
        name: "slack-notifier",
        enabled: true,
        config: { webhook_url: webhook.SLACK_WEBHOOK_URL, channels: ["#nrdot-alerts", "#ops"] },
      },
    ],
  });
  expect(config.performance).toMatchObject({
    metrics: [
      { name: "event_processing_time", type: "histogram", buckets: [0.01, 0.05, 0.1, 0.5, 1, 5] },
      { name: "reconciliation_duration", buckets: [1, 5, 10, 30, 60, 300] },
      { name: "memory_usage", type: "gauge" },
      { name: "event_queue_size", type: "gauge" },
    ],
    thresholds: {
      event_processing_time: { p99: "500ms", alert: true },
      memory_usage: { max: "1GB", alert: true },
    },
  });
  expect(config.debug).toMatchObject({
    enabled: true,
    level: "debug",
    components: {
      control_loop: { enabled: true, trace_events: true },
      reconciler: { log_diffs: true },
      state_store: { log_operations: true },
    },
    endpoints: [{ path: "/debug/events" }, { path: "/debug/state" }, { path: "/debug/metrics" }],
  });
  expect(config.api).toMatchObject({ version: "v2", base_path: "/api/v2" });
  expect(config.api?.endpoints).toHaveLength(6);
  expect(config.control_loop).toBeUndefined();
  expect(origins.get("reconciliation.strategies[1].batch_timeout")).toMatchObject({ type: "file" });
});

test("control_loop has its defaults only if it is there", async () => {
  const defaults = {
    reconcile_interval: "30s",
    max_retry_attempts: 3,
    event_buffer_size: 1000,
    worker_pool_size: 10,
  };
  const { config, origins } = await load("control_loop:\n");
  expect(config.control_loop).toEqual(defaults);
  expect(origins.get("control_loop.worker_pool_size")).toEqual({ type: "default" });
  expect((await load("control_loop: { reconcile_interval: 90 }\n")).config.control_loop).toEqual({
    ...defaults,
    reconcile_interval: "1m30s",
  });
  expect((await load("data: here\n")).config.control_loop).toBeUndefined();
});

test("debug and its components are on if they are there", async () => {
  const { config } = await load(
    "debug: { level: WARNING, components: { reconciler: { log_diffs: true } } }\n",
  );
  expect(config.debug).toEqual({
    enabled: true,
    level: "warn",
    components: { reconciler: { enabled: true, log_diffs: true } },
  });
});

test("kinds in events.types have dots", async () => {
  const { config, origins } = await load(
    "events:\n  types:\n    Device.racks.dev: io.example.device\n  ttl: 1h\n",
  );
  expect(config.events).toEqual({ ttl: "1h", types: { "Device.racks.dev": "io.example.device" } });
  expect(origins.get('events.types["Device.racks.dev"]')).toMatchObject({ line: 3, column: 23 });
});

test("reports all errors of sections at once, with position and path", async () => {
  const text = `
control_loop:
  reconcile_interval: 0
  worker_pol_size: 3
event_pipeline:
  stages:
    - handlers: [A, { options: {} }]
    - validation
    -
reconciliation:
  strategies: { immediate: {} }
plugins:
  installed:
    - name: slack-notifier
      config: { webhook_url: "\${SLACK_WEBHOOK_URL}" }
performance:
  metrics:
    - { name: memory_usage, type: meter }
  thresholds:
    memory_usage: { max: much }
debug:
  level: LOUD
  endpoints:
    - path: /debug/nothing
api:
  endpoints:
    - { path: /config, methods: [GET, FETCH] }
sinks:
  - { type: http, name: a, mod: binary }
`;
  expect(await problems(text)).toEqual([
    'fettle.yaml:3:23: control_loop.reconcile_interval: must be a number of seconds longer than 0, or a duration such as "30s", not 0',
    'fettle.yaml:4:3: unknown setting "worker_pol_size" in control_loop; did you mean worker_pool_size? The settings are reconcile_interval, max_retry_attempts, event_buffer_size, worker_pool_size',
    "fettle.yaml:7:21: event_pipeline.stages[0].handlers[1]: name is missing",
    "fettle.yaml:7:7: event_pipeline.stages[0]: name is missing",
    "fettle.yaml:8:7: event_pipeline.stages[1] must be a map with name, handlers",
    "fettle.yaml:9:6: event_pipeline.stages[2] must be a map with name, handlers",
    "fettle.yaml:11:15: reconciliation.strategies must be a list of maps with name, type, description, batch_size, batch_timeout, schedule, time_zone, window, conditions",
    "fettle.yaml:15:30: plugins.installed[0].config.webhook_url: the variable SLACK_WEBHOOK_URL is not set: set it, or write ${SLACK_WEBHOOK_URL:-default}",
    'fettle.yaml:18:35: performance.metrics[0].type: must be histogram or gauge, not "meter"',
    'fettle.yaml:20:26: performance.thresholds.memory_usage.max: must be a number, a size such as "1GB", or a duration such as "500ms", not "much"',
    'fettle.yaml:22:10: debug.level: must be debug, info, warn or error, not "LOUD"',
    'fettle.yaml:24:13: debug.endpoints[0].path: must be /debug/events, /debug/state or /debug/metrics, not "/debug/nothing"',
    'fettle.yaml:27:33: api.endpoints[0].methods: must be GET, POST, PUT or DELETE, not "FETCH"',
    'fettle.yaml:29:28: unknown setting "mod" in sinks[0]; did you mean mode? The settings are type, name, on, durable, timeout, retries, url, breaker, mode, secret, headers, concurrency, channel, channels, path, maxSize, keep, fsync, format',
  ]);
});

test.each([
  [
    "[{ name: nightly }]",
    'fettle.yaml:2:24: reconciliation.strategies[0].name: "nightly" is no type of strategy: add type: immediate, batched or scheduled',
  ],
  ["[{ name: scheduled }]", "fettle.yaml:2:24: reconciliation.strategies[0]: schedule is missing"],
  ["[{ name: scheduled, schedule: daily }]", 'strategies[0].schedule: "daily" is not a cron expression'],
  [
    '[{ name: scheduled, schedule: "0 2 * * *", time_zone: Bonn }]',
    'strategies[0].time_zone: "Bonn" is not a known time zone',
  ],
  [
    "[{ name: batched, window: 1h }]",
    "strategies[0].window: is a setting of scheduled strategies, and this one is batched",
  ],
  ["[{ name: batched }, { name: batched }]", 'strategies[1].name: there is a strategy "batched" already'],
  [
    "[{ name: batched, conditions: [{}] }]",
    "strategies[0].conditions[0]: a condition needs a priority or a type",
  ],
  [
    "[{ name: batched, conditions: [{ priority: urgent }] }]",
    "must be critical, high, normal, low or a number",
  ],
])("refuses strategies %s", async (strategies, message) => {
  expect((await problems(`reconciliation:\n  strategies: ${strategies}\n`))[0]).toContain(message);
});

test.each([
  [
    "controllers: { sites.demo.dev: { strategy: nightly } }",
    "controllers.sites.demo.dev.strategy: must be the name of a strategy: immediate, batched; add others to",
  ],
  ["sinks: [{ name: a, type: http }]", "sinks[0]: url is missing"],
  [
    "sinks: [{ name: a, type: slack, url: localhost }]",
    "sinks[0].url: must be a URL that begins with http:// or https://",
  ],
  ["sinks: [{ name: a, type: file }]", "sinks[0]: path is missing"],
  ["api: { base_path: api/v2 }", "api.base_path: must begin with a slash"],
  ["api: { endpoints: [{ path: /a }, { path: /a }] }", "api.endpoints[1].path: is listed twice"],
  [
    "performance: { metrics: [{ name: a, buckets: [1, 1] }] }",
    "buckets: must be numbers above 0 in ascending order",
  ],
  ["performance: { metrics: [{ name: a, type: gauge, buckets: [1] }] }", "is a setting of histograms"],
  ["events: { types: { device: io.example } }", "the key must be a kind and its group"],
  [
    "event_pipeline: { stages: [{ name: a, handlers: [] }, { name: a, handlers: [] }] }",
    'stages[1].name: there is a stage "a" already',
  ],
  ["plugins: { installed: [{ name: a }, { name: a }] }", 'installed[1].name: there is a plugin "a" already'],
])("refuses %s", async (text, message) => {
  expect((await problems(`${text}\n`))[0]).toContain(message);
});

test("values of secret variables are hidden, alone", async () => {
  const text = `${nrdot}\nsinks:\n  - { name: a, type: http, url: "https://a.example/in", secret: plain-text, headers: { X-Key: plain-text } }\n`;
  const loaded = await load(text, webhook);
  const shown = shownSettings(loaded, loaded.cwd);
  const valueOf = (path: string): unknown => shown.find((each) => each.path === path)?.value;
  expect(valueOf("plugins.installed[1].config.webhook_url")).toBe("[hidden]");
  expect(valueOf("plugins.installed[1].config.channels[1]")).toBe("#ops");
  expect(valueOf("sinks[0].secret")).toBe("[hidden]");
  const everything = [JSON.stringify(configObject(loaded, loaded.cwd)), configYaml(loaded, loaded.cwd)];
  for (const each of everything) {
    expect(each).not.toContain("xyz");
    expect(each).not.toContain("plain-text");
  }
});

test("errors do not repeat values of secret variables", async () => {
  const text =
    'control_loop: { worker_pool_size: "${API_TOKEN}" }\nsinks: [{ name: a, type: file, secret: [x] }]\n';
  expect(await problems(text, { API_TOKEN: "hush" })).toEqual([
    "fettle.yaml:1:35: control_loop.worker_pool_size: must be an integer from 1",
    "fettle.yaml:2:40: sinks[0].secret: must be text",
  ]);
});

test("fettle config shows every value of a section with its origin, in order", async () => {
  const loaded = await load(
    "sinks:\n  - { type: stdout, name: a }\n  - { name: b, type: stdout }\nplugins:\n  installed: [{ name: a }]\n",
  );
  const shown = shownSettings(loaded, loaded.cwd);
  const sections = shown.filter(({ path }) => /^(sinks|plugins)/.test(path));
  expect(sections.map(({ path, value, from }) => `${path} ${String(value)} ${from}`)).toEqual([
    "sinks[0].type stdout fettle.yaml:2",
    "sinks[0].name a fettle.yaml:2",
    "sinks[1].type stdout fettle.yaml:3",
    "sinks[1].name b fettle.yaml:3",
    "plugins.enabled true default",
    "plugins.installed[0].name a fettle.yaml:5",
    "plugins.installed[0].enabled true default",
  ]);
});

test("the written file loads again to the same configuration", async () => {
  const env = { ...webhook, KEY: "k" };
  const more = `
control_loop: { reconcile_interval: 5m }
events: { types: { Device.racks.dev: io.example.device } }
sinks:
  - { name: a, type: file, path: events.log, on: ["**.deleted"] }
  - { name: b, type: http, url: "https://a.example/$\${x}", headers: { X-Key: "\${KEY}" } }
controllers: { sites.demo.dev: { strategy: nightly, timeout: 5s } }
`;
  const nightly = nrdot.replace(
    "  strategies:\n",
    '  strategies:\n    - { name: nightly, type: scheduled, schedule: "0 1 * * *", conditions: [] }\n    - { name: other, type: batched, conditions: [{ priority: 5 }] }\n',
  );
  const { cwd, config } = await load(`${nightly}${more}`, env);
  expect(config.sinks?.[1]?.url).toBe("https://a.example/${x}");
  const yaml = configYaml(await loadConfig({ cwd, env }), cwd);
  await writeFile(join(cwd, "fettle.yaml"), yaml);
  const again = await loadConfig({ cwd, env });
  expect(again.config).toEqual(config);
  expect(configYaml(again, cwd).replaceAll(/ # .*/g, "")).toBe(yaml.replaceAll(/ # .*/g, ""));
});

test("a plugin's configuration may have any names and values", async () => {
  const text =
    'plugins:\n  installed:\n    - name: a\n      config: { "x.y": { z: [] }, x: { y: 1 }, __proto__: { no: 1 }, none: null, e: {}, deep: [[1, { a: "${A}" }]] }\n';
  const { config, origins } = await load(text, { A: "b" });
  expect(config.plugins?.installed?.[0]?.config).toEqual(
    JSON.parse('{"x.y":{"z":[]},"x":{"y":1},"__proto__":{"no":1},"none":null,"e":{},"deep":[[1,{"a":"b"}]]}'),
  );
  expect(({} as Record<string, unknown>)["no"]).toBeUndefined();
  expect([...origins.keys()]).toContain('plugins.installed[0].config["x.y"].z');
});

test("anchors and aliases of YAML can be used", async () => {
  const text =
    "event_pipeline:\n  stages:\n    - &stage { name: a, handlers: &all [X, Y] }\n    - { name: b, handlers: *all }\n";
  const { config } = await load(text);
  expect(config.event_pipeline?.stages?.[1]).toEqual({ name: "b", handlers: ["X", "Y"] });
});

test("peers become options of the control plane, with the way out for those that make no sense", async () => {
  const { config, cwd } = await load(
    `peers:
  - name: berlin
    kubeconfig: berlin.kubeconfig
    context: admin
    kinds: [demo.dev/v1/Site, v1/ConfigMap]
    namespaces: [default]
    selector: region=eu
    merge: source-wins
    status: true
  - server: https://10.0.0.1:7700
    token: \${PARIS_TOKEN}
    ca_file: ca.crt
    kinds: [v1/ConfigMap]
sync_interval: 5
`,
    { PARIS_TOKEN: "secret" },
  );
  expect(peersOptions(config)).toEqual({
    syncInterval: "5s",
    peers: [
      {
        name: "berlin",
        kubeconfig: join(cwd, "berlin.kubeconfig"),
        context: "admin",
        kinds: ["demo.dev/v1/Site", "v1/ConfigMap"],
        namespaces: ["default"],
        selector: "region=eu",
        merge: "source-wins",
        status: true,
        direction: "pull",
      },
      {
        server: "https://10.0.0.1:7700",
        token: "secret",
        caFile: join(cwd, "ca.crt"),
        kinds: ["v1/ConfigMap"],
        merge: "newest-wins",
        status: false,
        direction: "pull",
      },
    ],
  });
  expect(peersOptions((await load("")).config)).toBeUndefined();
  expect(await problems("peers:\n  - kinds: [v1/ConfigMap]\n")).toEqual([
    'fettle.yaml:2:12: peers[0]: peer "peer-1": kubeconfig or server is missing',
  ]);
  expect(await problems("peers:\n  - server: https://a\n    kinds: [Site]\n")).toEqual([
    'fettle.yaml:2:13: peers[0]: peer "peer-1": kind "Site" must be like "demo.dev/v1/Site" or "v1/ConfigMap"',
  ]);
  expect(
    await problems("peers:\n  - server: https://a\n    merge: oldest\n    kinds: [v1/ConfigMap]\n"),
  ).toEqual([
    'fettle.yaml:3:12: peers[0].merge: must be newest-wins, source-wins or field-managers, not "oldest"',
  ]);
});
