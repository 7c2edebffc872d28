import { writeFileSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import { VirtualClock } from "../../model/core.js";
import { selfSigned } from "./fixtures/certificate.js";
import { Folder } from "./fixtures/folder.js";
import { inClusterConnection } from "./in-cluster.js";

let folder: Folder;
beforeEach(() => void (folder = new Folder()));
afterEach(() => folder[Symbol.dispose]());

const env = { KUBERNETES_SERVICE_HOST: "10.0.0.1", KUBERNETES_SERVICE_PORT: "443" };

test("uses the cluster, namespace and service account of the pod, and rereads the token", async () => {
  const clock = new VirtualClock();
  const { cert } = await selfSigned("cluster");
  folder.write("ca.crt", cert);
  folder.write("namespace", "team\n");
  const token = folder.write("token", "one");
  const connection = await inClusterConnection({ serviceAccount: folder.path, env, clock });
  expect(connection).toMatchObject({
    server: "https://10.0.0.1:443",
    namespace: "team",
    tls: { ca: Buffer.from(cert) },
  });
  expect(await connection.headers?.()).toEqual({ Authorization: "Bearer one" });
  writeFileSync(token, "two");
  await clock.advance(60_000);
  expect(await connection.headers?.()).toEqual({ Authorization: "Bearer two" });
  writeFileSync(token, "three");
  expect(await connection.headers?.({ renew: true })).toEqual({ Authorization: "Bearer three" });
});

test("supports IPv6, a namespace from the environment, a missing CA and a proxy", async () => {
  folder.write("token", "one");
  const warnings: string[] = [];
  const connection = await inClusterConnection({
    serviceAccount: folder.path,
    env: { ...env, KUBERNETES_SERVICE_HOST: "fd00::1", POD_NAMESPACE: "mine", HTTPS_PROXY: "proxy:3128" },
    onWarning: (text) => warnings.push(text),
  });
  expect(connection.server).toBe("https://[fd00::1]:443");
  expect(connection.namespace).toBe("mine");
  expect(connection.tls).toBeUndefined();
  expect(connection.proxy).toBe("http://proxy:3128");
  expect(warnings).toEqual([
    `${folder.at("ca.crt")} does not exist, so the system's authorities are trusted instead`,
  ]);
});

test("rejects outside of a cluster, without a token, and with a malformed CA", async () => {
  const load = (variables: Record<string, string>): Promise<unknown> =>
    inClusterConnection({ serviceAccount: folder.path, env: variables });
  await expect(load({})).rejects.toThrow("This is not a pod of a cluster: KUBERNETES_SERVICE_HOST");
  await expect(load(env)).rejects.toThrow("is automountServiceAccountToken false?");
  folder.write("token", "one");
  folder.write("ca.crt", "none");
  await expect(load(env)).rejects.toThrow(`The cluster's authority ${folder.at("ca.crt")} cannot be used`);
});
