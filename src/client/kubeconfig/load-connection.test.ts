import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { delimiter } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { VirtualClock } from "../../model/core.js";
import { Folder, kubeconfig } from "./fixtures/folder.js";
import { loadConnection } from "./load-connection.js";
import { loadKubeconfig } from "./load-kubeconfig.js";

let folder: Folder;
beforeEach(() => void (folder = new Folder()));
afterEach(() => folder[Symbol.dispose]());

function account(): string {
  folder.write("account/token", "pod-token");
  return folder.at("account");
}
const pod = { KUBERNETES_SERVICE_HOST: "10.0.0.1", KUBERNETES_SERVICE_PORT: "443" };
const server = (name: string): { server: string } => ({ server: `https://${name}.example.com` });

describe("search order of kubeconfigs", () => {
  test("is the option, $KUBECONFIG, the home folder, the pod", async () => {
    const serviceAccount = account();
    const option = folder.write("option", kubeconfig(server("option")));
    const variable = folder.write("variable", kubeconfig(server("variable")));
    folder.write(".kube/config", kubeconfig(server("home")));
    const env = { ...pod, KUBECONFIG: variable, HOME: folder.path };

    const found = async (options: Parameters<typeof loadConnection>[0]): Promise<string> =>
      (await loadConnection({ serviceAccount, ...options })).server;
    expect(await found({ env, kubeconfig: option })).toBe("https://option.example.com");
    expect(await found({ env, text: JSON.stringify(kubeconfig(server("text"))) })).toBe(
      "https://text.example.com",
    );
    expect(await found({ env })).toBe("https://variable.example.com");
    expect(await found({ env: { ...env, KUBECONFIG: "" } })).toBe("https://home.example.com");
    expect(await found({ env: { ...pod, HOME: folder.at("nobody") } })).toBe("https://10.0.0.1:443");
    // $KUBECONFIG hides the home folder, even when none of its files exists.
    expect(await found({ env: { ...env, KUBECONFIG: folder.at("missing") } })).toBe("https://10.0.0.1:443");
  });

  test("lists the searched places if there is none", async () => {
    const env = { HOME: folder.path };
    const error = `There is no cluster to talk to: ${folder.at(".kube/config")} does not exist, and this is not a pod with a service account; pass kubeconfig, or set KUBECONFIG to a file`;
    await expect(loadConnection({ env })).rejects.toThrow(error);
    await expect(loadConnection({ env, context: "a" })).rejects.toThrow('There is no context "a": ');
  });

  test("a given kubeconfig must exist and be readable", async () => {
    const missing = folder.at("missing");
    await expect(
      loadConnection({ kubeconfig: missing, env: pod, serviceAccount: account() }),
    ).rejects.toThrow(`The kubeconfig ${missing} does not exist`);
    await expect(loadConnection({ kubeconfig: folder.path })).rejects.toThrow(
      `The kubeconfig ${folder.path} cannot be read: it is a directory`,
    );
  });

  test("a kubeconfig without a current context counts as missing, unless it was given", async () => {
    const path = folder.write("config", { contexts: [{ name: "b" }, { name: "a" }] });
    const options = { env: { ...pod, KUBECONFIG: path }, serviceAccount: account() };
    expect((await loadConnection(options)).server).toBe("https://10.0.0.1:443");
    await expect(loadConnection({ ...options, kubeconfig: path })).rejects.toThrow(
      `${path}: no current-context is set; choose one of "a", "b"`,
    );
  });
});

test("the first of several files that has an entry wins, and keeps its own relative paths", async () => {
  const first = folder.write("one/config", {
    contexts: [{ name: "main", context: { cluster: "main", user: "main" } }],
    users: [{ name: "main", user: { tokenFile: "token" } }],
  });
  const second = folder.write("two/config", {
    ...kubeconfig(server("two"), { tokenFile: "token", as: "not-mixed-in" }, { namespace: "not-mixed-in" }),
  });
  folder.write("one/token", "from-one\n");
  folder.write("two/token", "from-two\n");
  const env = { KUBECONFIG: [first, folder.at("missing"), "", second, second].join(delimiter) };

  const connection = await loadConnection({ env });
  expect(connection.server).toBe("https://two.example.com");
  expect(connection.namespace).toBe("default");
  expect(await connection.headers?.()).toEqual({ Authorization: "Bearer from-one" });
  expect((await loadKubeconfig({ env })).files).toEqual([first, second]);
});

describe("the context", () => {
  test("can be chosen, and so can its namespace", async () => {
    const text = JSON.stringify({
      "current-context": "a",
      contexts: [
        { name: "a", context: { cluster: "a" } },
        { name: "b", context: { cluster: "b", namespace: "team" } },
      ],
      clusters: ["a", "b"].map((name) => ({ name, cluster: server(name) })),
    });
    expect(await loadConnection({ text, context: "b" })).toMatchObject({
      server: "https://b.example.com",
      namespace: "team",
    });
    expect(await loadConnection({ text, context: "b", namespace: "mine" })).toMatchObject({
      namespace: "mine",
    });
    expect(await (await loadConnection({ text })).headers?.()).toEqual({});
  });

  test.each([
    [
      { "current-context": "x", contexts: [{ name: "y" }] },
      'there is no context "x", which current-context names; choose one of "y"',
    ],
    [
      { "current-context": "x", contexts: [{ name: "x" }] },
      'context "x" names no cluster; clusters are: none',
    ],
    [
      kubeconfig(undefined, {}, { cluster: "gone" }),
      'context "main" names the cluster "gone", which is not there; clusters are: "main"',
    ],
    [
      kubeconfig(undefined, {}, { user: "gone" }),
      'context "main" names the user "gone", which is not there; users are: "main"',
    ],
    [kubeconfig({}), 'cluster "main" has no server'],
  ])("errors name what is missing: case %#", async (config, message) => {
    await expect(loadConnection({ text: JSON.stringify(config) })).rejects.toThrow(message);
  });
});

describe("the URL of the server", () => {
  test.each([
    [{ server: "https://a:6443/" }, "https://a:6443"],
    [{ server: "https://a/k8s/clusters/c-1/" }, "https://a/k8s/clusters/c-1"],
    [{ server: "localhost:8080" }, "http://localhost:8080"],
    [{ server: "10.0.0.1:6443", "insecure-skip-tls-verify": true }, "https://10.0.0.1:6443"],
    [{ server: "https://[::1]:6443" }, "https://[::1]:6443"],
  ])("%j", async (cluster, expected) => {
    expect((await loadConnection({ text: JSON.stringify(kubeconfig(cluster)), env: {} })).server).toBe(
      expected,
    );
  });

  test.each([
    ["ftp://a", "ftp is neither https nor http"],
    ["a:1/path", "an address with a path needs its scheme"],
    ["https://a b", "this is not an address"],
    ["https://me:secret@a", "must be an address without a user"],
  ])("%s is rejected", async (server, message) => {
    await expect(loadConnection({ text: JSON.stringify(kubeconfig({ server })) })).rejects.toThrow(message);
  });
});

describe("proxies", () => {
  const of = async (cluster: object, env: Record<string, string>): Promise<string | undefined> =>
    (await loadConnection({ text: JSON.stringify(kubeconfig({ ...server("a"), ...cluster })), env })).proxy;

  test("the cluster's proxy takes precedence over the environment's", async () => {
    const env = { HTTPS_PROXY: "http://env:3128" };
    expect(await of({ "proxy-url": "socks5h://me:pass@own:1080" }, env)).toBe("socks5://me:pass@own:1080");
    expect(await of({}, env)).toBe("http://env:3128");
  });

  test("rejects an unsupported proxy without printing its password", async () => {
    await expect(of({ "proxy-url": "socks4://me:secret@own" }, {})).rejects.toThrow(
      'proxy-url is "socks4://…@own": socks4 proxies are not supported; use an http, https or socks5 one',
    );
    await expect(of({ "proxy-url": "own" }, {})).rejects.toThrow(
      'proxy-url is "own"; write it as http://proxy.example.com:3128',
    );
  });
});

test.each([
  [0o644, "everybody", { token: "t" }],
  [0o640, "its group", { "client-key-data": "YQ==" }],
  [0o600, undefined, { token: "t" }],
  [0o644, undefined, { tokenFile: "token" }],
])("warns about credential files that others can read: %o, %s", async (mode, readers, user) => {
  const path = folder.write("config", kubeconfig(undefined, user), mode);
  const warnings: string[] = [];
  await loadKubeconfig({ kubeconfig: path, onWarning: (text) => warnings.push(text) });
  expect(warnings).toEqual(
    readers === undefined
      ? []
      : [`${path} holds credentials and can be read by ${readers}; run: chmod 600 ${path}`],
  );
});

test("reads UTF-16, which Windows tools write", async () => {
  const text = `\uFEFF${JSON.stringify(kubeconfig(server("wide")))}`;
  const kubeconfigPath = folder.write("config", Buffer.from(text, "utf16le"));
  expect((await loadConnection({ kubeconfig: kubeconfigPath })).server).toBe("https://wide.example.com");
});

describe("a token file", () => {
  test("is reread after a minute and after a 401; the last token is kept if the file disappears", async () => {
    const clock = new VirtualClock();
    const warnings: string[] = [];
    const token = folder.write("token", "one\n");
    const config = folder.write("config", kubeconfig(undefined, { tokenFile: "token" }));
    const connection = await loadConnection({
      kubeconfig: config,
      clock,
      onWarning: (text) => warnings.push(text),
    });
    const current = async (renew = false): Promise<unknown> =>
      (await connection.headers?.({ renew }))?.["Authorization"];

    expect(await current()).toBe("Bearer one");
    writeFileSync(token, "two");
    await clock.advance(59_000);
    expect(await current()).toBe("Bearer one");
    await clock.advance(1_000);
    expect(await current()).toBe("Bearer two");
    writeFileSync(token, "three");
    expect(await current(true)).toBe("Bearer three");

    rmSync(token);
    expect(await Promise.all([current(true), current(true)])).toEqual(["Bearer three", "Bearer three"]);
    expect(warnings).toEqual([expect.stringContaining(`The token in ${token} could not be read again`)]);
    expect(await current()).toBe("Bearer three");
    expect(warnings).toHaveLength(1);
    writeFileSync(token, "four");
    await clock.advance(10_000);
    expect(await current()).toBe("Bearer four");
  });

  test("takes precedence over a token, which is the fallback while the file is missing", async () => {
    const config = folder.write("config", kubeconfig(undefined, { token: "inline", tokenFile: "token" }));
    const connection = await loadConnection({ kubeconfig: config });
    expect(await connection.headers?.()).toEqual({ Authorization: "Bearer inline" });
    folder.write("token", "file");
    expect(await connection.headers?.()).toEqual({ Authorization: "Bearer file" });
  });

  test("that is missing, empty or malformed fails at once", async () => {
    const config = folder.write("config", kubeconfig(undefined, { tokenFile: "token" }));
    const load = (): Promise<unknown> => loadConnection({ kubeconfig: config });
    await expect(load()).rejects.toThrow(
      `the token file ${folder.at("token")} cannot be read: it does not exist`,
    );
    folder.write("token", " \n");
    await expect(load()).rejects.toThrow(`the token file ${folder.at("token")} is empty`);
    folder.write("token", "se cret");
    await expect(load()).rejects.toThrow(
      /the token in .*token has characters that a token cannot have: spaces/,
    );
    rmSync(folder.at("token"));
    mkdirSync(folder.at("token"));
    chmodSync(folder.at("token"), 0o700);
    await expect(load()).rejects.toThrow("it is a directory");
  });
});
