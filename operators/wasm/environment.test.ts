import { createLog, type Log } from "fettle/runtime";
import { describe, expect, test } from "vitest";
import { logFrom, readEnvironment, type LeastLevel } from "./environment.js";

describe("environment variables", () => {
  test("have the defaults of the document", () => {
    expect(readEnvironment({ WASMBED_GATEWAY_URL: "", RUST_LOG: " " })).toEqual({
      gatewayUrl: undefined,
      gatewayTokenSecret: undefined,
      logLevel: undefined,
      reconciliationInterval: 30_000,
      maxRetries: 3,
      backoffMultiplier: 2,
      statusPort: undefined,
      statusHost: "127.0.0.1",
    });
  });

  test("are those of the document", () => {
    const settings = readEnvironment({
      WASMBED_GATEWAY_URL: "http://wasmbed-gateway:8080",
      RUST_LOG: "info",
      WASMBED_CONTROLLER_RECONCILIATION_INTERVAL: "30",
      WASMBED_CONTROLLER_MAX_RETRIES: "3",
      WASMBED_CONTROLLER_BACKOFF_MULTIPLIER: "2.0",
    });
    expect(settings).toMatchObject({
      gatewayUrl: "http://wasmbed-gateway:8080",
      logLevel: "info",
      reconciliationInterval: 30_000,
      maxRetries: 3,
      backoffMultiplier: 2,
    });
  });

  test("change every setting", () => {
    const settings = readEnvironment({
      WASMBED_GATEWAY_URL: "https://gateway.example.com/api",
      WASMBED_GATEWAY_TOKEN_SECRET: "gateway",
      RUST_LOG: "warn",
      WASMBED_CONTROLLER_RECONCILIATION_INTERVAL: "2.5",
      WASMBED_CONTROLLER_MAX_RETRIES: "7",
      WASMBED_CONTROLLER_BACKOFF_MULTIPLIER: "1.5",
      WASMBED_CONTROLLER_PORT: "0",
      KUBERNETES_SERVICE_HOST: "10.96.0.1",
    });
    expect(settings).toEqual({
      gatewayUrl: "https://gateway.example.com/api",
      gatewayTokenSecret: "gateway",
      logLevel: "warn",
      reconciliationInterval: 2500,
      maxRetries: 7,
      backoffMultiplier: 1.5,
      statusPort: 0,
      statusHost: "0.0.0.0",
    });
  });

  test.each([
    ["WASMBED_GATEWAY_URL", "wasmbed-gateway:8080", "must be an http or https URL"],
    ["WASMBED_GATEWAY_URL", "ftp://gateway", "must be an http or https URL"],
    ["WASMBED_GATEWAY_URL", "http://me:secret@gateway", "must not have a user or password"],
    ["WASMBED_CONTROLLER_RECONCILIATION_INTERVAL", "30s", "must be a number of seconds from 1 to 86400"],
    ["WASMBED_CONTROLLER_RECONCILIATION_INTERVAL", "0", "must be a number of seconds from 1 to 86400"],
    ["WASMBED_CONTROLLER_MAX_RETRIES", "-1", "must be a whole number from 1 to 20"],
    ["WASMBED_CONTROLLER_MAX_RETRIES", "2.5", "must be a whole number from 1 to 20"],
    ["WASMBED_CONTROLLER_BACKOFF_MULTIPLIER", "0.5", "must be a number from 1 to 10"],
    ["WASMBED_CONTROLLER_BACKOFF_MULTIPLIER", "NaN", "must be a number from 1 to 10"],
    ["WASMBED_CONTROLLER_PORT", "65536", "must be a whole number from 0 to 65535"],
    ["RUST_LOG", "info,wasmbed=loud", '"wasmbed=loud" must be a level'],
    ["RUST_LOG", "wasmbed=", '"wasmbed=" must be a level'],
  ])("%s=%s is refused", (name, value, message) => {
    expect(() => readEnvironment({ [name]: value })).toThrow(message);
    expect(() => readEnvironment({ [name]: value })).toThrow(name);
    expect(() => readEnvironment({ [name]: value })).not.toThrow("secret@");
  });
});

describe("RUST_LOG", () => {
  test.each<[string, LeastLevel]>([
    ["debug", "debug"],
    ["TRACE", "debug"],
    ["off", "off"],
    ["info,wasmbed=debug", "debug"],
    ["wasmbed=debug,info", "debug"],
    ["debug,wasmbed_k8s_controller=warn,wasmbed=error", "warn"],
    ["wasmbed-k8s-controller=error", "error"],
    ["wasmbed", "debug"],
    ["info,hyper=debug,kube::client=trace", "info"],
    ["hyper=debug", "error"],
  ])("%s is the level %s", (text, level) => {
    expect(readEnvironment({ RUST_LOG: text }).logLevel).toBe(level);
  });

  function written(level: "info" | "warn", least: LeastLevel | undefined): readonly string[] {
    const lines: string[] = [];
    const log = createLog({ level, destination: { write: (line: string) => void lines.push(line) } });
    const child: Log = logFrom(log, least).child({ operator: "wasm" });
    child.debug({}, "processing");
    child.info({}, "status");
    child.warn({}, "deployment failed");
    child.error({}, "reconciliation error");
    return lines.map((line) => {
      const { level: at, severity, msg } = JSON.parse(line) as Record<string, string>;
      return `${at}${severity === undefined ? "" : `(${severity})`} ${msg}`;
    });
  }

  test("drops lines below the level", () => {
    expect(written("info", "warn")).toEqual(["warn deployment failed", "error reconciliation error"]);
    expect(written("info", "off")).toEqual([]);
  });

  test("writes lines that Fettle's log would drop, and names their level", () => {
    expect(written("info", "debug")).toEqual([
      "info(debug) processing",
      "info status",
      "warn deployment failed",
      "error reconciliation error",
    ]);
    expect(written("warn", "info")).toContain("warn(info) status");
  });

  test("changes nothing if it is not set", () => {
    expect(written("info", undefined)).toHaveLength(3);
  });
});
