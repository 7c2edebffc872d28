import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import { command as generate } from "../../src/cli/commands/generate.js";
import { recordingTerminal } from "../../src/cli/fixtures/terminal.js";
import type { Manifest } from "../../src/client/client.js";
import { inClusterConnection } from "../../src/client/kubeconfig/in-cluster.js";
import type { Connection } from "../../src/client/transport/connection.js";
import type { Kubernetes } from "../components/index.js";

/** Output of `fettle generate manifests` for modules, in the order in which it is applied. */
export async function manifestsOf(
  modules: readonly string[],
  options: Readonly<Record<string, string>>,
): Promise<readonly Manifest[]> {
  const folder = await mkdtemp(join(tmpdir(), "fettle-manifests-"));
  try {
    const terminal = recordingTerminal();
    await generate.commands?.["manifests"]?.run?.(modules, { ...options, output: folder }, terminal);
    const files = ["crds.yaml", "access.yaml", "deployment.yaml"].map((name) =>
      readFile(join(folder, name), "utf8"),
    );
    const texts = await Promise.all(files);
    return texts.flatMap((text) => parseAllDocuments(text).map((document) => document.toJS() as Manifest));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Mounted files and environment of a pod. */
export interface Pod extends AsyncDisposable {
  readonly connection: Connection;
  /** Path of a kubeconfig with the same content, for programs outside of the pod. */
  readonly kubeconfig: string;
}

/** Sets up a pod for a service account as a kubelet would, with a token of the cluster. */
export async function podOf(cluster: Kubernetes, name: string, namespace: string): Promise<Pod> {
  const serviceAccount = await mkdtemp(join(tmpdir(), "fettle-pod-"));
  const token = await tokenOf(cluster, name, namespace);
  for (const [file, text] of Object.entries({ token, namespace, "ca.crt": cluster.ca })) {
    await writeFile(join(serviceAccount, file), text);
  }
  const { hostname, port } = new URL(cluster.url);
  const env = { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port };
  const kubeconfig = join(serviceAccount, "kubeconfig");
  await writeFile(kubeconfig, kubeconfigOf(cluster, token, namespace), { mode: 0o600 });
  return {
    connection: await inClusterConnection({ serviceAccount, env }),
    kubeconfig,
    [Symbol.asyncDispose]: () => rm(serviceAccount, { recursive: true, force: true }),
  };
}

function kubeconfigOf({ url, ca }: Kubernetes, token: string, namespace: string): string {
  const data = Buffer.from(ca).toString("base64");
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "cluster", cluster: { server: url, "certificate-authority-data": data } }],
    users: [{ name: "pod", user: { token } }],
    contexts: [{ name: "pod", context: { cluster: "cluster", user: "pod", namespace } }],
    "current-context": "pod",
  });
}

async function tokenOf({ url, ca, token }: Kubernetes, name: string, namespace: string): Promise<string> {
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`;
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const text = await new Promise<string>((resolve, reject) => {
    const sent = request(new URL(path, url), { method: "POST", ca, headers }, (answer) => {
      let body = "";
      answer.setEncoding("utf8").on("data", (chunk: string) => (body += chunk));
      answer.once("end", () => resolve(body)).once("error", reject);
    });
    sent.once("error", reject);
    sent.end(JSON.stringify({ apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} }));
  });
  const { status } = JSON.parse(text) as { readonly status?: { readonly token?: string } };
  if (status?.token === undefined) throw new Error(`there is no token for ${name}: ${text}`);
  return status.token;
}
