import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { request } from "undici";
import { VirtualClock } from "../../model/core.js";
import type { Connection } from "../transport/connection.js";
import { selfSigned } from "./fixtures/certificate.js";
import { Folder, kubeconfig } from "./fixtures/folder.js";
import { loadConnection } from "./load-connection.js";

let folder: Folder;
beforeEach(() => void (folder = new Folder()));
afterEach(() => folder[Symbol.dispose]());

const base64 = (text: string): string => Buffer.from(text).toString("base64");

function load(user: object, cluster: object = {}, options: object = {}): Promise<Connection> {
  const full = { server: "https://api.example.com", ...cluster };
  return loadConnection({
    kubeconfig: folder.write("config", kubeconfig(full, { ...user })),
    env: {},
    ...options,
  });
}

test("accepts a token, and username with password", async () => {
  expect(await (await load({ token: "abc" })).headers?.()).toEqual({ Authorization: "Bearer abc" });
  expect(await (await load({ username: "jané", password: "p:w" })).headers?.()).toEqual({
    Authorization: `Basic ${base64("jané:p:w")}`,
  });
});

test("a token takes precedence over an exec plugin, which is not run", async () => {
  const exec = {
    apiVersion: "client.authentication.k8s.io/v1",
    command: "/nowhere",
    interactiveMode: "Never",
  };
  expect(await (await load({ token: "abc", exec })).headers?.()).toEqual({ Authorization: "Bearer abc" });
});

describe("a kubeconfig that was found, not named", () => {
  const exec = {
    apiVersion: "client.authentication.k8s.io/v1",
    command: "/bin/evil",
    interactiveMode: "Never",
  };

  test.each([
    [{ exec }, 'runs the program "/bin/evil"'],
    [{ token: "abc", exec }, 'runs the program "/bin/evil"'],
    [{ tokenFile: "/home/jane/.ssh/id_ed25519" }, "reads credentials from other files"],
    [{ "client-certificate": "a.crt", "client-key": "a.key" }, "reads credentials from other files"],
  ])("may not run programs or read other files: %j", async (user, message) => {
    await expect(load(user, {}, { trusted: false })).rejects.toThrow(
      `this kubeconfig was found, not named, and ${message}; if you trust it, name it (--kubeconfig, KUBECONFIG)`,
    );
  });

  test("may hold a token", async () => {
    const connection = await load({ token: "abc" }, {}, { trusted: false });
    expect(await connection.headers?.()).toEqual({ Authorization: "Bearer abc" });
  });
});

describe("rejected", () => {
  test.each([
    [{ token: "a", username: "b" }, "token and username are both set; remove one of them"],
    [{ token: "line\nbreak" }, "token has characters that a token cannot have"],
    [{ "as-groups": ["a"] }, "as-uid, as-groups and as-user-extra need as, the user to impersonate"],
    [
      { "auth-provider": { name: "gcp" } },
      'auth-provider "gcp" is not supported, since exec plugins have replaced it; install gke-gcloud-auth-plugin',
    ],
    [{ "auth-provider": { name: "mine" } }, "use an exec plugin, a token or a client certificate"],
    [
      { "client-certificate-data": "YQ==" },
      "client-certificate needs its key: add client-key or client-key-data",
    ],
    [
      { "client-certificate-data": "YQ==", "client-certificate": "x" },
      "client-certificate and client-certificate-data are both set",
    ],
    [{ "client-certificate": "gone", "client-key": "gone" }, "gone cannot be read: it does not exist"],
    [
      { "client-certificate-data": "YQ==", "client-key-data": "YQ==" },
      "the certificate cannot be read: it must be in PEM",
    ],
  ])("%j", async (user, message) => {
    await expect(load(user)).rejects.toThrow(message);
    await expect(load(user)).rejects.toThrow(new RegExp(`^${folder.at("config")}:1: `));
  });

  test("rejects a mismatched key, an invalid CA, and a CA together with insecure-skip-tls-verify", async () => {
    const [one, other] = [await selfSigned("one"), await selfSigned("other")];
    const pair = { "client-certificate-data": base64(one.cert), "client-key-data": base64(other.key) };
    await expect(load(pair)).rejects.toThrow("the key does not match the certificate");
    await expect(load({}, { "certificate-authority-data": "YQ==" })).rejects.toThrow(
      "certificate-authority: the certificate cannot be read",
    );
    const both = { "certificate-authority-data": base64(one.cert), "insecure-skip-tls-verify": true };
    await expect(load({}, both)).rejects.toThrow("contradict each other");
  });
});

test("inline certificates are part of the connection", async () => {
  const { cert, key } = await selfSigned("jane");
  folder.write("ca.crt", cert);
  const connection = await load(
    { "client-certificate-data": base64(cert), "client-key-data": base64(key) },
    { "certificate-authority": "ca.crt", "tls-server-name": "east" },
  );
  expect(connection.tls).toEqual({
    ca: Buffer.from(cert),
    certificate: { cert: Buffer.from(cert), key: Buffer.from(key) },
    serverName: "east",
    insecure: undefined,
  });
  expect(connection).not.toHaveProperty("certificate");
});

test("certificates in files are reread once both have changed", async () => {
  const clock = new VirtualClock();
  const warnings: string[] = [];
  const [one, two] = [await selfSigned("one"), await selfSigned("two")];
  const cert = folder.write("jane.crt", one.cert);
  const key = folder.write("jane.key", one.key);
  const connection = await load(
    { "client-certificate": "jane.crt", "client-key": "jane.key" },
    {},
    {
      clock,
      onWarning: (text: string) => warnings.push(text),
    },
  );
  const first = await connection.certificate?.();
  expect(String(first?.cert)).toBe(one.cert);
  await clock.advance(60_000);
  expect(await connection.certificate?.()).toBe(first);

  writeFileSync(cert, two.cert);
  await clock.advance(60_000);
  expect(await connection.certificate?.()).toBe(first);
  expect(warnings).toEqual([expect.stringContaining("the last one stays in use")]);
  writeFileSync(key, two.key);
  await clock.advance(10_000);
  expect(String((await connection.certificate?.())?.cert)).toBe(two.cert);
});

test("sends impersonation headers as kubectl does", async () => {
  const server = createServer((request, response) => response.end(JSON.stringify(request.rawHeaders)));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  try {
    const connection = await load(
      {
        as: "jané",
        "as-uid": "7",
        "as-groups": ["dev", "ops, night"],
        "as-user-extra": { "example.com/scope%": ["view", "edit"] },
      },
      { server: `http://127.0.0.1:${port}` },
    );
    const headers = { ...(await connection.headers?.()) };
    const { body } = await request(connection.server, { headers });
    const raw = (await body.json()) as string[];
    const sent = raw.flatMap((name, index) =>
      /^impersonate/i.test(name) ? [[name, raw[index + 1] ?? ""]] : [],
    );
    expect(
      sent.map(([name = "", value = ""]) => `${name}: ${Buffer.from(value, "latin1").toString()}`),
    ).toEqual([
      "Impersonate-User: jané",
      "Impersonate-Uid: 7",
      "Impersonate-Group: dev",
      "Impersonate-Group: ops, night",
      "Impersonate-Extra-example.com%2Fscope%25: view",
      "Impersonate-Extra-example.com%2Fscope%25: edit",
    ]);
  } finally {
    server.close();
  }
});
