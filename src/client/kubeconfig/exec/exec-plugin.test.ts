import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { VirtualClock } from "../../../model/core.js";
import type { Connection } from "../../transport/connection.js";
import { selfSigned } from "../fixtures/certificate.js";
import { Folder, kubeconfig } from "../fixtures/folder.js";
import { loadConnection, type LoadOptions } from "../load-connection.js";

const v1 = "client.authentication.k8s.io/v1";
const v1beta1 = "client.authentication.k8s.io/v1beta1";

let folder: Folder;
let clock: VirtualClock;
let warnings: string[];
beforeEach(() => {
  folder = new Folder();
  clock = new VirtualClock("2026-01-01T00:00:00Z");
  warnings = [];
});
afterEach(() => folder[Symbol.dispose]());

function load(exec: object, cluster: object = {}, options: LoadOptions = {}): Promise<Connection> {
  const config = kubeconfig(
    { server: "https://api.example.com", ...cluster },
    { exec: { apiVersion: v1, command: "./plugin", interactiveMode: "Never", ...exec } },
  );
  return loadConnection({
    kubeconfig: folder.write("config", config),
    env: { PATH: process.env["PATH"] },
    clock,
    interactive: false,
    onWarning: (text) => warnings.push(text),
    ...options,
  });
}

/** Writes a plugin that prints a status and counts its runs in the file `runs`. */
function printing(status: string, apiVersion = v1): void {
  folder.program(
    "plugin",
    `const { appendFileSync, readFileSync } = require("node:fs");
    appendFileSync(${JSON.stringify(folder.at("runs"))}, "run\\n");
    const runs = readFileSync(${JSON.stringify(folder.at("runs"))}, "utf8").trim().split("\\n").length;
    console.log(JSON.stringify({ apiVersion: "${apiVersion}", kind: "ExecCredential", status: ${status} }));`,
  );
}
const runs = (): number => folder.lines("runs").length;

test("runs once for concurrent callers, and again after expiry or a 401", async () => {
  printing(
    `{ token: "token-" + runs, expirationTimestamp: runs === 1 ? "2026-01-01T01:00:00Z" : undefined }`,
  );
  const connection = await load({});
  expect(runs()).toBe(0);
  const token = async (renew = false): Promise<unknown> =>
    (await connection.headers?.({ renew }))?.["Authorization"];

  expect(await Promise.all([token(), token(), token()])).toEqual(Array(3).fill("Bearer token-1"));
  expect(await connection.certificate?.()).toBeUndefined();
  await clock.advance(3_599_999);
  expect(await token()).toBe("Bearer token-1");
  await clock.advance(1);
  expect(await token()).toBe("Bearer token-2");
  await clock.advance(365 * 24 * 3_600_000);
  expect(await token()).toBe("Bearer token-2");
  expect(await Promise.all([token(true), token(true)])).toEqual(["Bearer token-3", "Bearer token-3"]);
  expect(runs()).toBe(3);
});

test("returns the same certificate object until it changes, and renews it when it expires", async () => {
  const first = await selfSigned("first", "2026-01-02T00:00:00Z");
  const second = await selfSigned("second", "2030-01-01T00:00:00Z");
  printing(`((pair) => ({ clientCertificateData: pair.cert, clientKeyData: pair.key }))(
    (runs < 3 ? ${JSON.stringify(first)} : ${JSON.stringify(second)}))`);
  const connection = await load({});
  const one = await connection.certificate?.();
  expect(one).toEqual(first);
  expect(await connection.headers?.({ renew: true })).toEqual({});
  expect(await connection.certificate?.()).toBe(one);
  expect(runs()).toBe(2);
  await clock.advance(24 * 3_600_000);
  expect(await connection.certificate?.()).toEqual(second);
});

test("passes arguments, environment variables and cluster information to the plugin", async () => {
  folder.program(
    "plugin",
    `const seen = { args: process.argv.slice(2), region: process.env.REGION, info: JSON.parse(process.env.KUBERNETES_EXEC_INFO) };
    require("node:fs").writeFileSync(${JSON.stringify(folder.at("seen"))}, JSON.stringify(seen));
    console.log(JSON.stringify({ apiVersion: "${v1beta1}", kind: "ExecCredential", status: { token: "t" } }));`,
  );
  const { cert } = await selfSigned("ca");
  folder.write("ca.crt", cert);
  const connection = await load(
    {
      apiVersion: v1beta1,
      args: ["get-token", "--x=$HOME"],
      env: [{ name: "REGION", value: "east" }],
      provideClusterInfo: true,
      interactiveMode: undefined,
    },
    {
      "certificate-authority": "ca.crt",
      "tls-server-name": "east",
      "proxy-url": "http://proxy:3128",
      extensions: [{ name: "client.authentication.k8s.io/exec", extension: { audience: "east", level: 3 } }],
    },
  );
  await connection.headers?.();
  expect(JSON.parse(folder.lines("seen").join(""))).toEqual({
    args: ["get-token", "--x=$HOME"],
    region: "east",
    info: {
      kind: "ExecCredential",
      apiVersion: v1beta1,
      spec: {
        cluster: {
          server: "https://api.example.com",
          "tls-server-name": "east",
          "certificate-authority-data": Buffer.from(cert).toString("base64"),
          "proxy-url": "http://proxy:3128",
          config: { audience: "east", level: 3 },
        },
        interactive: false,
      },
    },
  });
});

describe("failures", () => {
  test("have the stderr of the plugin and its install hint, and the next request retries", async () => {
    folder.program(
      "plugin",
      `console.log("s3cret"); console.error("log in first:\\n  cloud login"); process.exitCode = 3;`,
    );
    const connection = await load({ installHint: "brew install plugin" });
    await expect(connection.headers?.()).rejects.toThrow(
      expect.objectContaining({
        name: "ExecPluginError",
        stderr: "log in first:\n  cloud login",
        message: `The exec plugin ${folder.at("plugin")} failed with exit code 3\nIt wrote:\n  log in first:\n    cloud login\nHow to install it:\n  brew install plugin`,
      }),
    );
    expect(warnings).toEqual([
      `${folder.at("plugin")}: log in first:`,
      `${folder.at("plugin")}:   cloud login`,
    ]);
    printing(`{ token: "now" }`);
    expect(await connection.headers?.()).toEqual({ Authorization: "Bearer now" });
  });

  test("report a missing program", async () => {
    const bare = await load({ command: "fettle-no-such-plugin", installHint: "apt install it" });
    await expect(bare.headers?.()).rejects.toThrow(
      "The exec plugin fettle-no-such-plugin is not on the PATH\nHow to install it:\n  apt install it",
    );
    await expect((await load({ command: "./gone" })).headers?.()).rejects.toThrow(
      `${folder.at("gone")} does not exist`,
    );
    folder.write("plugin", "", 0o600);
    await expect((await load({})).headers?.()).rejects.toThrow("cannot be started: permission denied");
  });

  test.each([
    ["", "printed nothing"],
    ["token: s3cret", "printed something that is not JSON"],
    ["[]", "printed no ExecCredential"],
    [
      { apiVersion: v1beta1, kind: "ExecCredential" },
      `printed an ExecCredential of ${v1beta1}, but the kubeconfig has apiVersion ${v1}`,
    ],
    [{ apiVersion: v1, kind: "ExecCredential" }, "without a status"],
    [
      { apiVersion: v1, kind: "ExecCredential", status: {} },
      "printed neither a token nor a client certificate",
    ],
    [{ apiVersion: v1, kind: "ExecCredential", status: { clientKeyData: "s3cret" } }, "printed only one of"],
    [{ apiVersion: v1, kind: "ExecCredential", status: { token: 5 } }, "status.token that is not a string"],
    [
      { apiVersion: v1, kind: "ExecCredential", status: { token: "s3 cret" } },
      "printed a token that has characters",
    ],
    [
      { apiVersion: v1, kind: "ExecCredential", status: { token: "s3cret", expirationTimestamp: "soon" } },
      '"soon" is not a time',
    ],
  ])("report the invalid output %j", async (answer, message) => {
    const text = typeof answer === "string" ? answer : JSON.stringify(answer);
    folder.program("plugin", `process.stdout.write(${JSON.stringify(text)});`);
    const error = await (await load({})).headers?.().catch((error: unknown) => error as Error);
    expect((error as Error).message).toContain(message);
    expect((error as Error).message).not.toMatch(/s3 ?cret/);
  });

  test.each([
    [{ apiVersion: undefined }, "exec.apiVersion is missing; it must be"],
    [
      { apiVersion: "client.authentication.k8s.io/v1alpha1" },
      "exec.apiVersion is client.authentication.k8s.io/v1alpha1",
    ],
    [{ interactiveMode: undefined }, "exec.interactiveMode is missing"],
    [
      { interactiveMode: "Sometimes" },
      "exec.interactiveMode is Sometimes; it must be Never, IfAvailable or Always",
    ],
    [
      { interactiveMode: "Always" },
      "is interactive (interactiveMode is Always), but standard input is not a terminal",
    ],
  ])("report the invalid configuration %j", async (exec, message) => {
    await expect(load(exec)).rejects.toThrow(message);
  });
});

describe("a plugin that hangs", () => {
  beforeEach(() => {
    folder.program("plugin", `console.error("waiting for you"); setInterval(() => {}, 1000);`);
  });

  /** Connection, and a promise that resolves when its plugin has written a line. */
  async function waiting(): Promise<{ connection: Connection; started: Promise<void> }> {
    let onWarning = (): void => {};
    const started = new Promise<void>((resolve) => (onWarning = resolve));
    return { connection: await load({}, {}, { execTimeout: 30_000, onWarning: () => onWarning() }), started };
  }

  test("is killed after the timeout", async () => {
    const { connection, started } = await waiting();
    const outcome = connection.headers?.().catch((error: unknown) => error);
    await started;
    await clock.advance(30_000);
    expect(String(await outcome)).toContain(
      "did not end within 30 s and was killed\nIt wrote:\n  waiting for you",
    );
    expect(clock.timers).toBe(0);
  });

  test("keeps running while one caller waits, and is killed when all have aborted", async () => {
    const { connection, started } = await waiting();
    const [one, other] = [new AbortController(), new AbortController()];
    const outcomes = [one, other].map(({ signal }) => connection.headers?.({ signal }));
    const reasons = outcomes.map((outcome) =>
      outcome?.then(
        () => undefined,
        (error: unknown) => error,
      ),
    );
    await started;
    one.abort(new Error("first gives up"));
    expect(await reasons[0]).toEqual(new Error("first gives up"));
    expect(clock.timers).toBe(1);
    other.abort(new Error("second gives up"));
    expect(await reasons[1]).toEqual(new Error("second gives up"));
    await clock.advance(0);
    expect(clock.timers).toBe(0);
    printing(`{ token: "later" }`);
    expect(await connection.headers?.()).toEqual({ Authorization: "Bearer later" });
  });
});
