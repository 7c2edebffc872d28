import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { command } from "../../src/cli/commands/config.js";
import { recordingTerminal } from "../../src/cli/fixtures/terminal.js";
import { loadConfig } from "../../src/plane/config/load-config.js";
import { folderWith } from "./folder.js";

const show = async (
  cwd: string,
  options: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>> = {},
): Promise<string> => {
  const terminal = recordingTerminal({ cwd, env });
  await command.run?.([], options, terminal);
  return terminal.out();
};

const problems = async (
  text: string,
  env: Readonly<Record<string, string>> = {},
): Promise<readonly string[]> => {
  const cwd = await folderWith({ "fettle.yaml": text });
  const error: unknown = await loadConfig({ cwd, env }).catch((error: unknown) => error);
  expect(error).toHaveProperty("name", "ConfigError");
  return (error as Error).message.split("\n");
};

test("flags override the environment, which overrides the file, which overrides defaults", async () => {
  const cwd = await folderWith({
    "fettle.yaml": "data: kept\nlisten:\n  port: 1001\n  host: localhost\nlog: { format: json }\n",
  });
  const env = { FETTLE_PORT: "1002", FETTLE_LOG: "none" };
  const { config, origins } = await loadConfig({ cwd, env, flags: { port: "1003", tls: false } });
  expect(config).toMatchObject({
    data: join(cwd, "kept"),
    store: "sqlite",
    listen: { port: 1003, host: "localhost", tls: false },
    log: { format: "none", level: "info" },
  });
  expect(Object.fromEntries(origins)).toMatchObject({
    data: { type: "file", file: "fettle.yaml", line: 1 },
    store: { type: "default" },
    "listen.host": { type: "file", line: 4 },
    "listen.port": { type: "flag", flag: "--port" },
    "listen.tls": { type: "flag", flag: "--no-tls" },
    "log.format": { type: "environment", name: "FETTLE_LOG" },
  });
});

test("has a default for every setting", async () => {
  const { config, file } = await loadConfig({ cwd: await folderWith(), env: {} });
  expect(file).toBeUndefined();
  expect(config).toMatchObject({
    listen: { host: "127.0.0.1", port: 7700, tls: true },
    modules: [],
    controllers: {},
  });
});

test("the record of runs has limits, and a folder if one is set", async () => {
  const cwd = await folderWith({ "fettle.yaml": "runs:\n  maxAge: 30d\n  maxSize: 1Gi\n" });
  const { config } = await loadConfig({ cwd, env: {}, flags: { runs: "log" } });
  expect(config.runs).toEqual({ folder: join(cwd, "log"), maxAge: "30d", maxSize: "1Gi" });
  const defaults = await loadConfig({ cwd: await folderWith(), env: {} });
  expect(defaults.config.runs).toEqual({ maxAge: "7d", maxSize: "256Mi" });
  expect(await problems("runs:\n  maxAge: long\n  maxSize: 10Ki\n")).toEqual([
    'fettle.yaml:2:11: runs.maxAge: must be a duration such as "30s" or "12h", not "long"',
    'fettle.yaml:3:12: runs.maxSize: must be a size of at least 1Mi, such as "256Mi", not "10Ki"',
  ]);
});

test("objects have a largest size", async () => {
  const cwd = await folderWith({ "fettle.yaml": "objects:\n  maxSize: 4Mi\n" });
  expect((await loadConfig({ cwd, env: {} })).config.objects).toEqual({ maxSize: "4Mi" });
  const env = { FETTLE_MAX_OBJECT_SIZE: "2097152" };
  expect((await loadConfig({ cwd, env })).config.objects).toEqual({ maxSize: "2097152" });
  const defaults = await loadConfig({ cwd: await folderWith(), env: {} });
  expect(defaults.config.objects).toEqual({ maxSize: "1536Ki" });
  expect(await problems("objects:\n  maxSize: 10\n")).toEqual([
    'fettle.yaml:2:12: objects.maxSize: must be a size of at least 64Ki, such as "256Mi", not 10',
  ]);
});

test("resolves paths relative to the configuration file", async () => {
  const cwd = await folderWith({ "deploy/fettle.yaml": "modules: [sites.ts]\nmanifests: [../all]\n" });
  const { config } = await loadConfig({ cwd, env: {}, file: "deploy/fettle.yaml" });
  expect(config.modules).toEqual([join(cwd, "deploy/sites.ts")]);
  expect(config.manifests).toEqual([join(cwd, "all")]);
});

test("substitutes environment variables, with defaults", async () => {
  const text = "listen:\n  port: ${PORT:-7701}\n  host: ${HOST}\ndata: a$${b}/${EMPTY:-c}\n";
  const cwd = await folderWith({ "fettle.yaml": text });
  const { config } = await loadConfig({ cwd, env: { HOST: "::1", EMPTY: "" } });
  expect(config.listen).toMatchObject({ port: 7701, host: "::1" });
  expect(config.data).toBe(join(cwd, "a${b}/c"));
});

test("reports all errors at once, with position and allowed values", async () => {
  const text = `
data: \${NOWHERE}
store: postgres
listen:
  port: 70000
  prot: 1
  tls: maybe
log:
  level: loud
controllers:
  sites.demo.dev:
    concurrency: 0
    resync: never
    retries: 3
modules: { a: b }
`;
  expect(await problems(text)).toEqual([
    "fettle.yaml:2:7: data: the variable NOWHERE is not set: set it, or write ${NOWHERE:-default}",
    "fettle.yaml:3:8: store: postgres is not supported yet: choose sqlite or memory",
    "fettle.yaml:5:9: listen.port: must be an integer from 0 to 65535, not 70000",
    'fettle.yaml:6:3: unknown setting "prot" in listen; did you mean port? The settings are host, port, tls, certFile, keyFile, hosts, origins, tokenFile, kubeconfig',
    'fettle.yaml:7:8: listen.tls: must be true or false, not "maybe"',
    'fettle.yaml:9:10: log.level: must be debug, info, warn or error, not "loud"',
    "fettle.yaml:12:18: controllers.sites.demo.dev.concurrency: must be an integer from 1, not 0",
    'fettle.yaml:13:13: controllers.sites.demo.dev.resync: must be a duration such as "30s" or "12h", or false, not "never"',
    'fettle.yaml:14:5: unknown setting "retries" in controllers.sites.demo.dev; the settings are concurrency, timeout, resync, backoff, strategy',
    "fettle.yaml:15:10: modules: must be a list of paths, not a map",
  ]);
});

test.each([
  ["- a\n- b\n", /^fettle\.yaml:1:1: the configuration must be a map with data, store, listen, /],
  ["listen: 7700\n", /^fettle\.yaml:1:9: listen must be a map with host, port, /],
  ["data: [\n", /^fettle\.yaml:2:1: Flow sequence in block collection/],
  ["data: ${not a name}\n", /^fettle\.yaml:1:7: data: \$\{not a name\} is not a variable/],
])("rejects a malformed file: %j", async (text, message) => {
  expect((await problems(text))[0]).toMatch(message);
});

test("names the variable or flag of an invalid value", async () => {
  const cwd = await folderWith();
  await expect(loadConfig({ cwd, env: { FETTLE_TLS: "on" } })).rejects.toThrow(
    '$FETTLE_TLS: must be true or false, not "on"',
  );
  await expect(loadConfig({ cwd, env: {}, flags: { store: "redis" } })).rejects.toThrow(
    "--store: redis is not supported yet: choose sqlite or memory",
  );
});

test("fettle config prints values and sources, but no secrets", async () => {
  const cwd = await folderWith({
    "fettle.yaml":
      "listen: { port: 7701, host: '${API_TOKEN}', hosts: [a.example] }\nleaderElection: false\ncontrollers:\n  sites.demo.dev: { timeout: 5s }\n",
  });
  const env = { API_TOKEN: "hush-hush", FETTLE_DATA: "elsewhere" };
  const table = await show(cwd, {}, env);
  expect(table).toMatch(/^listen\.port +7701 +fettle\.yaml:1$/m);
  expect(table).toMatch(/^data +elsewhere +\$FETTLE_DATA$/m);
  expect(table).toMatch(/^leaderElection\.enabled +false +fettle\.yaml:2$/m);
  expect(table).toMatch(/^controllers\.sites\.demo\.dev\.timeout +5s +fettle\.yaml:4$/m);
  expect(await show(cwd, { store: "memory" }, env)).toMatch(/^store +memory +--store$/m);
  const yaml = await show(cwd, { output: "yaml" }, env);
  expect(yaml).toContain("  port: 7701 # fettle.yaml:1\n");
  const json = JSON.parse(await show(cwd, { output: "json" }, env)) as Record<
    string,
    Record<string, Record<string, unknown>>
  >;
  expect(json).toMatchObject({
    config: {
      listen: { host: "[hidden]", hosts: ["a.example"] },
      controllers: { "sites.demo.dev": { timeout: "5s" } },
    },
    from: { "listen.port": "fettle.yaml:1", data: "$FETTLE_DATA" },
  });
  // The file can be loaded again, with the same variable.
  const listen = { ...json["config"]?.["listen"], host: "${API_TOKEN}" };
  expect(parse(yaml)).toEqual({ ...json["config"], listen });
  for (const text of [table, yaml, JSON.stringify(json)]) expect(text).not.toContain("hush");
});
