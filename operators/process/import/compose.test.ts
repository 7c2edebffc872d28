import { expect, test } from "vitest";
import { importCompose, type ComposeOptions } from "./compose.js";
import { expectMinimal } from "./fixtures/minimal-manifests.js";
import { ImportError, problemText } from "./import-problem.js";

/** Specs by name and warnings of a file, after a proof that the manifests are valid and minimal. */
async function imported(text: string, options?: ComposeOptions) {
  const { objects, warnings } = importCompose(text, options);
  await expectMinimal(objects);
  return {
    objects,
    specs: Object.fromEntries(objects.map(({ metadata, spec }) => [metadata.name, spec])),
    warnings: warnings.map(problemText),
  };
}

function problemsOf(text: string, options?: ComposeOptions): readonly string[] {
  try {
    importCompose(text, options);
  } catch (error) {
    if (error instanceof ImportError) return error.message.split("\n");
    throw error;
  }
  return [];
}

test("converts all supported keys of a service", async () => {
  const { objects, warnings } = await imported(
    `
services:
  web:
    entrypoint: ["/usr/bin/env", "A=$$(B)"]
    command: node web.js --title 'Hello, world'
    environment:
      MODE: production
      WORKERS: 4
      INHERITED:
      UNKNOWN:
    env_file: [web.env, { path: missing.env, required: false }]
    working_dir: web
    user: "1000:www-data"
    depends_on:
      db: { condition: service_healthy }
      migrate: { condition: service_completed_successfully }
      cache: { condition: service_started }
    restart: on-failure:3
    healthcheck:
      test: ["CMD", "curl", "-f", "http://localhost:8080"]
      interval: 1m30s
      timeout: 5s
      retries: 5
      start_period: 40s
    stop_signal: USR1
    stop_grace_period: 1m
    ports: ["8080", "127.0.0.1:9090:9090/tcp"]
    mem_limit: 512m
    cpus: 0.5
    pids_limit: 100
  db:
    command: [postgres, -D, /var/lib/db]
    restart: always
    healthcheck: { test: pg_isready -U shop || exit 1, interval: 10s, timeout: 1s }
  migrate:
    command: node migrate.js
  cache:
    command: redis-server
    restart: unless-stopped
`,
    {
      folder: "/srv/shop",
      namespace: "shop",
      variables: { INHERITED: "yes" },
      readFile: (path) => (path === "web.env" ? "MODE=test\nSECRET='a b'" : undefined),
    },
  );
  expect(warnings).toEqual([]);
  const process = { apiVersion: "process.fettle.dev/v1", kind: "Process" };
  expect(objects).toEqual([
    {
      ...process,
      metadata: { name: "web", namespace: "shop" },
      spec: {
        command: ["/usr/bin/env", "A=$$(B)"],
        args: ["node", "web.js", "--title", "Hello, world"],
        env: [
          { name: "MODE", value: "production" },
          { name: "SECRET", value: "a b" },
          { name: "WORKERS", value: "4" },
          { name: "INHERITED", value: "yes" },
        ],
        user: "1000",
        group: "www-data",
        workingDir: "/srv/shop/web",
        ports: [
          { name: "port-8080", port: 8080 },
          { name: "port-9090", port: 9090 },
        ],
        limits: { memory: "512Mi", cpu: "0.5", pids: 100 },
        restart: { policy: "OnFailure", startLimit: { burst: 3, interval: "24h" } },
        stop: { signal: "SIGUSR1", grace: "1m" },
        readinessProbe: {
          exec: { command: ["curl", "-f", "http://localhost:8080"] },
          period: "1m30s",
          timeout: "5s",
          failureThreshold: 5,
        },
        dependsOn: [
          { name: "db" },
          { name: "migrate", condition: "Completed" },
          { name: "cache", condition: "Started" },
        ],
      },
    },
    {
      ...process,
      metadata: { name: "db", namespace: "shop" },
      spec: {
        command: ["postgres", "-D", "/var/lib/db"],
        workingDir: "/srv/shop",
        readinessProbe: { exec: { command: ["/bin/sh", "-c", "pg_isready -U shop || exit 1"] } },
      },
    },
    {
      ...process,
      metadata: { name: "migrate", namespace: "shop" },
      spec: { command: ["node", "migrate.js"], workingDir: "/srv/shop", restart: { policy: "Never" } },
    },
    {
      ...process,
      metadata: { name: "cache", namespace: "shop" },
      spec: { command: ["redis-server"], workingDir: "/srv/shop" },
    },
  ]);
});

test("warns once about each key that containers would need", async () => {
  const { specs, warnings } = await imported(`
version: "3"
name: shop
x-common: &common
  restart: always
  image: node:22
networks: { front: {} }
services:
  web:
    <<: *common
    command: node web.js
    volumes: ["./web:/web"]
    x-note: for others
    deploy: { update_config: {}, resources: { reservations: {} } }
    profiles: [dev]
    comand: typo
`);
  expect(specs).toEqual({ web: { command: ["node", "web.js"] } });
  expect(warnings).toEqual([
    "6:3: services.web.image is ignored: processes run on this machine, not in containers",
    "7:1: networks is ignored: processes run on this machine, not in containers",
    "12:5: services.web.volumes is ignored: processes run on this machine, not in containers",
    "14:15: services.web.deploy.update_config is ignored: it is not supported",
    "14:47: services.web.deploy.resources.reservations is ignored: nothing is reserved for processes",
    "15:5: services.web.profiles is ignored: every service is imported",
    "16:5: services.web.comand is ignored: it is not known",
  ]);
});

test("services without a command are left out, with dependencies on them", async () => {
  const { specs, warnings } = await imported(`
services:
  web: { command: node web.js, restart: always, depends_on: [db] }
  db: { image: postgres, volumes: [data] }
`);
  expect(specs).toEqual({ web: { command: ["node", "web.js"] } });
  expect(warnings).toEqual([
    "3:62: services.web.depends_on[0] is ignored: db is not imported",
    "4:3: services.db is left out: its image has the command, and processes run on this machine; add a command to import it",
  ]);
});

test("several replicas become a set, whose processes have ports of their own", async () => {
  const { objects, warnings } = await imported(`
services:
  web: { command: node web.js, restart: always, scale: 2, ports: ["80:8080"] }
  none: { command: node none.js, deploy: { replicas: 0, resources: { limits: { memory: 1.5gb, cpus: "2", pids: -1 } } } }
  last: { command: node last.js, restart: always, depends_on: { web: { condition: service_healthy } } }
`);
  expect(objects.map(({ kind, spec }) => ({ kind, spec }))).toEqual([
    {
      kind: "ProcessSet",
      spec: {
        replicas: 2,
        template: { spec: { command: ["node", "web.js"], ports: [{ name: "port-8080" }] } },
      },
    },
    {
      kind: "Process",
      spec: {
        command: ["node", "none.js"],
        limits: { memory: "1.5Gi", cpu: 2 },
        restart: { policy: "Never" },
        suspend: true,
      },
    },
    {
      kind: "Process",
      spec: { command: ["node", "last.js"], dependsOn: [{ name: "web-0" }, { name: "web-1" }] },
    },
  ]);
  expect(warnings).toEqual([
    "3:59: services.web.ports become free ports, one for each of the 2 processes: they cannot share one; see $PORT and status.ports",
    "3:67: services.web.ports[0] is imported as port 8080: the process listens on this machine itself, so 80 is ignored",
    "5:65: services.last.depends_on.web waits only for the start of web, which has no health check",
    "5:65: services.last.depends_on.web waits for the 2 processes of web: change it when you scale web",
  ]);
});

test.each([
  ['"3000-3002"', [3000, 3001, 3002]],
  ['"8000-8001:3000-3001"', [3000, 3001]],
  ['"[::1]:80:80"', [80]],
  ["{ target: 80, published: 8080, host_ip: 10.0.0.1 }", [80]],
  ['"53:53/udp"', []],
  ['"80", "8080:80"', [80]],
])("ports are those that the process listens on: %s", async (ports, numbers) => {
  const { specs } = await imported(`services: { a: { command: a, restart: always, ports: [${ports}] } }`);
  const found = (specs["a"] as { ports?: { port: number }[] }).ports ?? [];
  expect(found.map(({ port }) => port)).toEqual(numbers);
});

test("health checks can be disabled, and be lines for a shell", async () => {
  const { specs } = await imported(`
services:
  a: { command: a, restart: always, healthcheck: { disable: true, test: x } }
  b: { command: b, restart: always, healthcheck: { test: [NONE] } }
  c: { command: c, restart: always, healthcheck: { test: [CMD-SHELL, "A=1 test -e $$(pwd)/x"] } }
`);
  const timing = { period: "30s", timeout: "30s" };
  expect(specs).toEqual({
    a: { command: ["a"] },
    b: { command: ["b"] },
    c: {
      command: ["c"],
      readinessProbe: { exec: { command: ["/bin/sh", "-c", "A=1 test -e $$(pwd)/x"] }, ...timing },
    },
  });
});

test("variables are replaced", async () => {
  const { specs, warnings } = await imported(
    `
services:
  web:
    command: ["sh", "-c", "echo $$HOME $NAME \${NAME} \${EMPTY:-none} \${EMPTY-none} \${UNSET} $UNSET \${NAME:+yes}"]
    restart: \${RESTART:-always}
    ports: ["\${PORT:-80}"]
`,
    { variables: { NAME: "x", EMPTY: "", PORT: "81" } },
  );
  expect(specs["web"]).toEqual({
    command: ["sh", "-c", "echo $HOME x x none    yes"],
    ports: [{ name: "port-81", port: 81 }],
  });
  expect(warnings).toEqual([
    "4:27: services.web.command[2] the variable UNSET is not set: it is replaced by an empty string",
  ]);
});

test("no shell runs the command of a service", async () => {
  const { specs, warnings } = await imported("services: { a: { command: echo a | cat, restart: always } }");
  expect(specs["a"]).toEqual({ command: ["echo", "a", "|", "cat"] });
  expect(warnings).toEqual([
    '1:18: services.a.command passes | to the program, because no shell runs it: use ["sh", "-c", "…"] if one should',
  ]);
});

test("converts all supported keys of process-compose", async () => {
  const { specs, objects, warnings } = await imported(
    `
version: "0.5"
environment: ["ALL=1"]
processes:
  web:
    description: Serves pages
    command: cd web && node web.js
    working_dir: /srv
    environment: ["ALL=2", "TITLE=a=b"]
    depends_on:
      db: { condition: process_healthy }
      log: { condition: process_log_ready }
      init: { condition: process_completed_successfully }
      any: { condition: process_completed }
      plain: {}
    availability: { restart: on_failure, backoff_seconds: 2, max_restarts: 5 }
    readiness_probe:
      http_get: { host: 127.0.0.1, scheme: http, path: /health, port: 8080, headers: { A: b } }
      initial_delay_seconds: 5
      period_seconds: 10
      timeout_seconds: 2
      success_threshold: 2
      failure_threshold: 3
    liveness_probe: { exec: { command: test -e alive && true }, period_seconds: 3 }
    shutdown: { signal: 2, timeout_seconds: 30 }
    namespace: front
  db: { command: postgres, availability: { restart: always }, readiness_probe: { exec: { command: pg_isready } } }
  log: { command: B=1 node log.js, ready_log_line: "Ready. (1)", replicas: 1, disabled: true, availability: { restart: always } }
  init: { entrypoint: [node, init.js] }
  any: { command: "true" }
  plain: { command: "true", schedule: { cron: "0 2 * * *", timezone: Europe/Berlin } }
  many: { command: node a.js, replicas: 2, is_daemon: false }
`,
  );
  const all = [{ name: "ALL", value: "1" }];
  const never = { restart: { policy: "Never" } };
  expect(objects[0]?.metadata).toEqual({
    name: "web",
    annotations: { "kubernetes.io/description": "Serves pages" },
  });
  expect(specs).toEqual({
    web: {
      command: ["/bin/sh", "-c", "cd web && exec node web.js"],
      env: [
        { name: "ALL", value: "2" },
        { name: "TITLE", value: "a=b" },
      ],
      workingDir: "/srv",
      restart: {
        policy: "OnFailure",
        backoff: { initial: "2s", max: "2s" },
        startLimit: { burst: 5, interval: "24h" },
      },
      stop: { signal: "SIGINT", grace: "30s" },
      readinessProbe: {
        http: { port: 8080, path: "/health", headers: { A: "b" } },
        initialDelay: "5s",
        timeout: "2s",
        successThreshold: 2,
      },
      livenessProbe: { exec: { command: ["/bin/sh", "-c", "test -e alive && exec true"] }, period: "3s" },
      dependsOn: [
        { name: "db" },
        { name: "log" },
        { name: "init", condition: "Completed" },
        { name: "any", condition: "Completed" },
        { name: "plain", condition: "Started" },
      ],
    },
    db: { command: ["postgres"], env: all, readinessProbe: { exec: { command: ["pg_isready"] } } },
    log: {
      command: ["node", "log.js"],
      env: [...all, { name: "B", value: "1" }],
      readinessProbe: { log: { pattern: String.raw`Ready\. \(1\)` } },
      suspend: true,
    },
    init: { command: ["node", "init.js"], env: all, ...never },
    any: { command: ["true"], env: all, ...never },
    plain: {
      command: ["true"],
      env: all,
      ...never,
      schedule: { cron: "0 2 * * *", timeZone: "Europe/Berlin" },
    },
    many: { replicas: 2, template: { spec: { command: ["node", "a.js"], env: all, ...never } } },
  });
  expect(warnings).toEqual([
    "14:14: processes.web.depends_on.any.condition waits until it has ended successfully: an end with a failure is not enough here",
    "26:5: processes.web.namespace is ignored: it is not supported",
    "32:44: processes.many.is_daemon is ignored: it is not supported",
  ]);
});

test("all invalid values are reported with their positions", () => {
  expect(
    problemsOf(`
services:
  web:
    command: "node 'web.js"
    environment: text
    env_file: none.env
    working_dir: relative
    user: ":group"
    depends_on: { nobody: { condition: service_ready } }
    restart: sometimes
    healthcheck: { test: [SHELL, x], interval: 10, retries: 0 }
    stop_signal: SIGFOO
    stop_grace_period: -1s
    ports: ["http", { published: 80 }, 70000]
    mem_limit: lots
    cpus: many
    scale: -1
  Web: { command: [a, [b]] }
  "___": { command: a }
  need: { command: "\${MUST:?set it}" , user: "\${" }
processes:
  web: { command: b }
  probe: { command: b, readiness_probe: {}, liveness_probe: { http_get: { scheme: https } }, availability: { restart: maybe } }
  empty: {}
`),
  ).toEqual([
    "4:14: services.web.command has a quote that is not closed",
    "5:18: services.web.environment must be a map of names and values",
    "6:15: services.web.env_file names the file none.env, which does not exist or cannot be read",
    '7:18: services.web.working_dir is "relative": use an absolute path',
    '8:11: services.web.user is ":group": use a user, or user:group',
    '9:40: services.web.depends_on.nobody.condition is "service_ready": use service_started, service_healthy or service_completed_successfully',
    '10:14: services.web.restart is "sometimes": use no, always, on-failure, on-failure:3 or unless-stopped',
    '11:26: services.web.healthcheck.test begins with "SHELL": use CMD, CMD-SHELL or NONE',
    '11:48: services.web.healthcheck.interval is "10": use a duration with a unit, such as 10s or 1m30s',
    '11:61: services.web.healthcheck.retries is "0": use a whole number from 1',
    '12:18: services.web.stop_signal is "SIGFOO": use SIGHUP, SIGINT, SIGQUIT, SIGKILL, SIGUSR1, SIGUSR2, SIGTERM or SIGWINCH',
    '13:24: services.web.stop_grace_period is "-1s": use a duration with a unit, such as 10s or 1m30s',
    '14:13: services.web.ports[0] is "http": use a port such as 8080, or host:container such as 80:8080',
    "14:21: services.web.ports[1] has no valid target: use a port number",
    '14:40: services.web.ports[2] is "70000": use a port such as 8080, or host:container such as 80:8080',
    '15:16: services.web.mem_limit is "lots": use a size such as 512m or 2g',
    '16:11: services.web.cpus is "many": use a number from 0',
    '17:12: services.web.scale is "-1": use a whole number from 0',
    '18:8: services.Web has an invalid name: "Web" would become web, as "web" of line 3 does',
    "18:23: services.Web.command[1] must be a text",
    '19:10: services.___ has an invalid name: "___" cannot be made a name: use up to 63 letters, digits and "-"',
    "20:20: services.need.command needs the variable MUST, which is not set: set it",
    '20:46: services.need.user has a "${" that begins no variable: write ${NAME} or ${NAME:-default}, or $$ for a plain dollar sign',
    '22:8: processes.web has an invalid name: "web" is already defined in line 3',
    "23:41: processes.probe.readiness_probe must have either http_get or exec",
    "23:73: processes.probe.liveness_probe.http_get has no port",
    "23:83: processes.probe.liveness_probe.http_get.scheme must be http: probes do not use TLS",
    '23:119: processes.probe.availability.restart is "maybe": use always, on_failure, exit_on_failure, no or false',
    "24:10: processes.empty has no command",
  ]);
});

test("a dependency on something that is not defined is an error", () => {
  expect(problemsOf("services: { a: { command: a, depends_on: [b] } }")).toEqual([
    '1:43: services.a.depends_on[0] names "b", which is not defined in this file',
  ]);
});

test("files that are not YAML, and files without processes", () => {
  expect(problemsOf("services: [")).toEqual([expect.stringMatching(/^1:\d+: Flow sequence/)]);
  expect(problemsOf("a: 1\n---\nb: 2")).toEqual([
    expect.stringMatching(/^2:1: a second YAML document begins here/),
  ]);
  expect(problemsOf("a: 1\na: 2")).toEqual(["2:1: Map keys must be unique"]);
  expect(problemsOf("")).toEqual([
    "1:1: no services or processes: expected a map named services or processes",
  ]);
  expect(problemsOf("- a")).toEqual(["1:1: must be a map of names and values"]);
});

test("merges that refer to themselves end", () => {
  expect(problemsOf("services: &s\n  <<: *s\n")).toEqual([
    "1:1: no services or processes: expected a map named services or processes",
  ]);
});
