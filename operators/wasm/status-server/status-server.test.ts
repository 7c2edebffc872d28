import { createServer, type AddressInfo } from "node:net";
import { once } from "node:events";
import type { Log } from "fettle/runtime";
import { describe, expect, onTestFinished, test } from "vitest";
import { ControllerMetrics, prometheusText } from "./controller-metrics.js";
import { defaultStatusPort, startStatusServer, type StatusServerOptions } from "./status-server.js";

/** Log that keeps its warnings. */
function recordingLog(): { readonly log: Log; readonly warnings: string[] } {
  const warnings: string[] = [];
  const ignore = (): void => {};
  const log: Log = {
    debug: ignore,
    info: ignore,
    warn: (_, text) => void warnings.push(text),
    error: ignore,
    child: () => log,
  };
  return { log, warnings };
}

async function start(options: Partial<StatusServerOptions> = {}): Promise<string> {
  const server = await startStatusServer({
    port: 0,
    version: "1.2.3",
    metrics: new ControllerMetrics(() => ({ active: 0, failed: 0 })),
    isReady: async () => undefined,
    log: recordingLog().log,
    ...options,
  });
  onTestFinished(() => server[Symbol.asyncDispose]());
  return server.url ?? "";
}

/** Listens on a port until the test ends; 0 for any free one. */
async function occupy(port: number): Promise<number> {
  const other = createServer();
  other.listen(port, "127.0.0.1");
  await once(other, "listening");
  onTestFinished(() => void other.close());
  return (other.address() as AddressInfo).port;
}

const about = {
  timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string,
  controller: "wasmbed-k8s-controller",
  version: "1.2.3",
};

describe("health and readiness", () => {
  test("the operator is healthy as long as it responds, even if it is not ready", async () => {
    const url = await start({ isReady: async () => "the gateway cannot be reached" });
    const response = await fetch(`${url}/health`);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ status: "healthy", ...about });
  });

  test("a problem makes it not ready, and is in the response", async () => {
    let problem: string | undefined = "the gateway cannot be reached";
    const url = await start({ isReady: async () => problem });
    const before = await fetch(`${url}/ready`);
    expect(before.status).toBe(503);
    expect(await before.json()).toEqual({ status: "not ready", message: problem, ...about });
    problem = undefined;
    const after = await fetch(`${url}/ready`);
    expect(after.status).toBe(200);
    expect(await after.json()).toEqual({ status: "ready", ...about });
  });

  test("a check that throws makes it not ready", async () => {
    const url = await start({ isReady: () => Promise.reject(new Error("no connection")) });
    const response = await fetch(`${url}/ready`);
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({ message: "no connection" });
  });
});

describe("metrics", () => {
  const metrics = new ControllerMetrics(async () => ({ active: 4, failed: 1 }));
  metrics.reconciled(100);
  metrics.reconciled(300);
  metrics.failed();
  for (const success of [true, true, true, false]) metrics.deployment(success);

  test("are text for Prometheus", async () => {
    const url = await start({ metrics });
    const response = await fetch(`${url}/metrics`);
    expect(response.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    const lines = (await response.text()).split("\n").filter((line) => !line.startsWith("# HELP"));
    expect(lines).toEqual([
      "# TYPE wasmbed_controller_applications_reconciled_total counter",
      "wasmbed_controller_applications_reconciled_total 2",
      "# TYPE wasmbed_controller_reconciliation_errors_total counter",
      "wasmbed_controller_reconciliation_errors_total 1",
      "# TYPE wasmbed_controller_deployment_success_rate gauge",
      "wasmbed_controller_deployment_success_rate 0.75",
      "# TYPE wasmbed_controller_average_reconciliation_time_seconds gauge",
      "wasmbed_controller_average_reconciliation_time_seconds 0.2",
      "# TYPE wasmbed_controller_active_applications gauge",
      "wasmbed_controller_active_applications 4",
      "# TYPE wasmbed_controller_failed_applications gauge",
      "wasmbed_controller_failed_applications 1",
      "",
    ]);
  });

  test("are the JSON of the document for clients that ask for it", async () => {
    const url = await start({ metrics });
    const response = await fetch(`${url}/metrics`, {
      headers: { Accept: "text/html, application/json;q=0.9" },
    });
    expect(await response.json()).toEqual({
      status: "healthy",
      ...about,
      applications_reconciled: 2,
      reconciliation_errors: 1,
      deployment_success_rate: 0.75,
      average_reconciliation_time: 0.2,
      active_applications: 4,
      failed_applications: 1,
    });
  });

  test("without a value are left out of the text, and null in JSON", async () => {
    const none = new ControllerMetrics(() => ({ active: 0, failed: 0 }));
    expect(prometheusText(await none.values())).not.toMatch(/rate|time/);
    const url = await start({ metrics: none });
    const response = await fetch(`${url}/metrics`, { headers: { Accept: "application/json" } });
    expect(await response.json()).toMatchObject({
      deployment_success_rate: null,
      average_reconciliation_time: null,
    });
  });

  test("that cannot be counted are an error, which is logged", async () => {
    const { log, warnings } = recordingLog();
    const broken = new ControllerMetrics(() => Promise.reject(new Error("no objects")));
    const url = await start({ metrics: broken, log });
    const response = await fetch(`${url}/metrics`);
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain("no objects");
    expect(warnings).toEqual(["a request for the status could not be answered"]);
  });
});

test.each([
  ["HEAD", "/health", 200],
  ["HEAD", "/metrics", 200],
  ["POST", "/ready", 405],
  ["DELETE", "/metrics", 405],
  ["GET", "/health?verbose", 200],
  ["GET", "/", 404],
  ["POST", "/healthz", 404],
])("%s %s responds with %i", async (method, path, status) => {
  const response = await fetch(`${await start()}${path}`, { method });
  expect(response.status).toBe(status);
  if (status === 405) expect(response.headers.get("allow")).toBe("GET, HEAD");
  const isHead = method === "HEAD";
  expect((await response.text()) === "").toBe(isHead);
});

describe("a port that is in use", () => {
  test("is a warning if it is the default, and the operator goes on", async () => {
    // Another program may have it already, which is as good.
    await occupy(defaultStatusPort).catch(() => {});
    const { log, warnings } = recordingLog();
    expect(await start({ port: undefined, log })).toBe("");
    expect(warnings).toEqual([expect.stringMatching(/127\.0\.0\.1:8080 is in use.*WASMBED_CONTROLLER_PORT/)]);
  });

  test("is an error if it was set", async () => {
    const port = await occupy(0);
    await expect(start({ port })).rejects.toThrow(`127.0.0.1:${port}: another program uses this port`);
  });
});
