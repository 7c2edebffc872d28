import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { cpus, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { createClient, httpTransport, kind, loadConnection, type Client } from "fettle";
import { until } from "./process-supervisor.js";
import { median, printRecorded, record, round } from "./report.js";

/**
 * Benchmark of the operator `proxy`, on a real nginx: the time from a change to the response that shows it, reloads for a burst of
 * changes, requests per second beside an nginx with a configuration written by hand, and 10,000 routes. Needs nginx and wrk.
 *
 *   npm run bench:proxy [-- --changes 100] [--burst 1000] [--routes 10000] [--seconds 10] [--rounds 3] [--only latency,burst,load,routes]
 */
const parts = ["latency", "burst", "load", "routes"];
const { values } = parseArgs({
  options: {
    changes: { type: "string", default: "100" },
    burst: { type: "string", default: "1000" },
    routes: { type: "string", default: "10000" },
    seconds: { type: "string", default: "10" },
    rounds: { type: "string", default: "3" },
    only: { type: "string", default: parts.join(",") },
    json: { type: "boolean", default: false },
  },
});
const only = values.only.split(",");
const root = dirname(fileURLToPath(import.meta.resolve("fettle/package.json")));
const folder = mkdtempSync(join(tmpdir(), "bp-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, () => process.exit(130));

const group = "proxy.fettle.dev/v1";
interface ProxyClassContent {
  readonly spec: object;
  readonly status?: { readonly reloads?: number; readonly routes?: number };
}
const ProxyClass = kind<ProxyClassContent>(group, "ProxyClass", { plural: "proxyclasses", scope: "Cluster" });
const Backend = kind<{ spec: object; status?: { health?: string } }>(group, "Backend", {
  plural: "backends",
});
const Gateway = kind<{ spec: object }>("gateway.networking.k8s.io/v1", "Gateway", { plural: "gateways" });
const HTTPRoute = kind<{ spec: object }>("gateway.networking.k8s.io/v1", "HTTPRoute", {
  plural: "httproutes",
});
const Process = kind<{ spec: object }>("process.fettle.dev/v1", "Process", { plural: "processes" });

console.log(`node ${process.version}, ${cpus().length} x ${cpus()[0]?.model.trim()}`);
const plain = await startPlainNginx();
const port = await freePort();
const plane = await startPlane();
const { client } = plane;
try {
  await client.create(Backend, {
    metadata: { name: "web" },
    spec: { targets: [{ host: "127.0.0.1", port: plain.backend }], keepalive: 64 },
  });
  await client.create(Gateway, {
    metadata: { name: "web" },
    spec: { gatewayClassName: "nginx", listeners: [{ name: "http", protocol: "HTTP", port }] },
  });
  await client.create(HTTPRoute, routeTo("main", "localhost", "0"));
  await until("the proxy responds", async () => (await answer("localhost", port)) === "0", { seconds: 60 });
  if (only.includes("latency")) await benchLatency();
  if (only.includes("burst")) await benchBurst();
  if (only.includes("load")) await benchLoad();
  if (only.includes("routes")) await benchRoutes();
} finally {
  await plane.stop();
  await plain.stop();
}
printRecorded();

/** Time from the response to a change until requests are answered by it. */
async function benchLatency(): Promise<void> {
  for (const [text, annotations] of [
    ["change to served, batched (200 ms)", {}],
    ["change to served, critical", { "fettle.dev/priority": "critical" }],
  ] as const) {
    const times: number[] = [];
    for (let turn = 1; turn <= Number(values.changes); turn++) {
      const value = `${text.length}-${turn}`;
      const { spec } = routeTo("main", "localhost", value);
      const begin = performance.now();
      await client.patch(HTTPRoute, "main", { metadata: { annotations }, spec });
      await until("the change is served", async () => (await answer("localhost", port)) === value, {
        pause: 1,
      });
      times.push(performance.now() - begin);
    }
    print(`${text}, p50`, median(times), "ms");
    print(`${text}, p99`, times.toSorted((a, b) => a - b)[Math.ceil(times.length * 0.99) - 1] ?? NaN, "ms");
  }
  await client.patch(HTTPRoute, "main", { metadata: { annotations: { "fettle.dev/priority": null } } });
}

/** Reloads for many changes at once. */
async function benchBurst(): Promise<void> {
  const before = await reloads();
  const begin = performance.now();
  const count = Number(values.burst);
  for (let turn = 1; turn <= count; turn++) {
    const { spec } = routeTo("main", "localhost", `burst-${turn}`);
    await client.patch(HTTPRoute, "main", { spec });
  }
  await until(
    "the last change is served",
    async () => (await answer("localhost", port)) === `burst-${count}`,
  );
  print(`${count} changes to served`, performance.now() - begin, "ms");
  // The status is written after the change is served.
  await until("the status is written", async () => (await reloads()) > before);
  print(`reloads for ${count} changes`, (await reloads()) - before, "");
}

/** Requests per second through both proxies to the same backend, by turns. */
async function benchLoad(): Promise<void> {
  const rates = { ours: [] as number[], plain: [] as number[] };
  for (let turn = 0; turn < Number(values.rounds); turn++) {
    rates.ours.push(await wrk(port));
    rates.plain.push(await wrk(plain.port));
  }
  const ratio = median(rates.ours) / median(rates.plain);
  print("requests per second, nginx of the operator", median(rates.ours), "/s");
  print("requests per second, nginx configured by hand", median(rates.plain), "/s");
  print("ratio", ratio, "");
}

/** Many routes, each with a host of its own. */
async function benchRoutes(): Promise<void> {
  const count = Number(values.routes);
  const names = Array.from({ length: count }, (_, index) => index);
  const begin = performance.now();
  await Promise.all(
    Array.from({ length: 16 }, async () => {
      for (let index = names.pop(); index !== undefined; index = names.pop())
        await client.create(HTTPRoute, routeTo(`r${index}`, `h${index}.example.com`, `${index}`));
    }),
  );
  print(`create ${count} routes`, performance.now() - begin, "ms");
  // Routes are created from the last to the first.
  const limit = { seconds: 600, pause: 50 };
  await until("all routes are served", async () => (await answer("h0.example.com", port)) === "0", limit);
  print(`${count} routes: first create to all served`, performance.now() - begin, "ms");
  const times: number[] = [];
  for (let turn = 0; turn < 5; turn++) {
    const { spec } = routeTo("r1", "h1.example.com", `changed-${turn}`);
    const start = performance.now();
    await client.patch(HTTPRoute, "r1", { spec });
    await until("served", async () => (await answer("h1.example.com", port)) === `changed-${turn}`, limit);
    times.push(performance.now() - start);
  }
  print(`one change among ${count} routes to served, p50`, median(times), "ms");
}

function print(name: string, value: number, unit: string): void {
  console.log(`  ${name.padEnd(52)} ${round(value).padStart(10)} ${unit}`);
  record(name, value, unit);
}

function routeTo(name: string, hostname: string, value: string) {
  const set = [{ name: "x-value", value }];
  return {
    metadata: { name },
    spec: {
      parentRefs: [{ name: "web" }],
      hostnames: [hostname],
      rules: [
        {
          filters: [{ type: "ResponseHeaderModifier", responseHeaderModifier: { set } }],
          backendRefs: [{ group: "proxy.fettle.dev", kind: "Backend", name: "web" }],
        },
      ],
    },
  };
}

async function reloads(): Promise<number> {
  return (await client.get(ProxyClass, "nginx")).status?.reloads ?? 0;
}

/** Value of a header of the response for a host; undefined without one. */
async function answer(host: string, at: number): Promise<string | undefined> {
  const child = spawn("curl", [
    "-s",
    "-m",
    "5",
    "-D",
    "-",
    "-o",
    "/dev/null",
    "-H",
    `Host: ${host}`,
    `http://127.0.0.1:${at}/`,
  ]);
  let text = "";
  child.stdout.on("data", (chunk: Buffer) => (text += chunk.toString()));
  await once(child, "close");
  return /^x-value: (.*?)\r?$/im.exec(text)?.[1];
}

async function wrk(at: number): Promise<number> {
  const words = ["-t1", "-c32", `-d${values.seconds}s`, "-H", "Host: localhost", `http://127.0.0.1:${at}/`];
  const child = spawn("wrk", words);
  let text = "";
  child.stdout.on("data", (chunk: Buffer) => (text += chunk.toString()));
  child.once("error", () => console.error("wrk is missing: apt-get install wrk"));
  await once(child, "close");
  return Number(/Requests\/sec:\s+([\d.]+)/.exec(text)?.[1]);
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address !== null ? address.port : 0;
}

/** An nginx that serves the responses behind both proxies, and is one of them: as somebody would configure it by hand. */
async function startPlainNginx(): Promise<{
  readonly backend: number;
  readonly port: number;
  stop(): Promise<void>;
}> {
  const [target, at] = [await freePort(), await freePort()];
  const place = join(folder, "plain");
  mkdirSync(place);
  writeFileSync(
    join(place, "nginx.conf"),
    `worker_processes auto; pid ${place}/nginx.pid; error_log stderr;
     events { worker_connections 4096; }
     http {
       access_log off;
       keepalive_requests 1000000;
       server { listen 127.0.0.1:${target}; return 200 "hello\n"; }
       upstream web { server 127.0.0.1:${target}; keepalive 64; }
       server {
         listen 127.0.0.1:${at};
         server_name localhost;
         location / {
           proxy_pass http://web;
           proxy_http_version 1.1;
           proxy_set_header Connection "";
           proxy_set_header Host $host;
           proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
           add_header x-value 1;
         }
       }
     }`,
  );
  const child = spawn("nginx", ["-p", `${place}/`, "-c", join(place, "nginx.conf"), "-g", "daemon off;"], {
    stdio: "ignore",
  });
  await until("plain nginx responds", async () => (await answer("localhost", at)) === "1");
  return {
    backend: target,
    port: at,
    async stop() {
      child.kill("SIGQUIT");
      await once(child, "exit");
    },
  };
}

async function startPlane(): Promise<{ readonly client: Client; stop(): Promise<void> }> {
  execFileSync("nginx", ["-v"], { stdio: "ignore" });
  const data = join(folder, "data");
  const main = join(root, "dist", "cli", "main.js");
  const { NODE_EXTRA_CA_CERTS: _, NODE_OPTIONS: __, ...env } = process.env;
  const child = spawn(
    process.execPath,
    [main, "up", "operators/proxy", "--data", data, "--port", "0", "--log", "none"],
    { cwd: root, env: { ...env, XDG_STATE_HOME: join(folder, "state") }, stdio: "ignore" },
  );
  const connect = async (): Promise<Client> => {
    const connection = await loadConnection({ kubeconfig: join(data, "kubeconfig") });
    return createClient({ transport: httpTransport({ connection, rate: false }), namespace: "default" });
  };
  const isUp = async (): Promise<boolean> => {
    if (child.exitCode !== null) throw new Error("fettle up ended: run it by hand to see why");
    return (await (await connect()).list(ProxyClass)).items.length > 0;
  };
  await until("fettle up operators/proxy", () => isUp().catch(() => false), { seconds: 60, pause: 100 });
  const connected = await connect();
  return {
    client: connected,
    async stop() {
      // nginx outlives Fettle, so that its class is deleted first.
      await connected.delete(ProxyClass, "nginx");
      const isGone = async (): Promise<boolean> => (await connected.list(Process)).items.length === 0;
      await until("nginx has stopped", isGone, { seconds: 120, pause: 100 });
      child.kill("SIGTERM");
      await once(child, "exit");
    },
  };
}
