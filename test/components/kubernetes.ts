import { readFileSync } from "node:fs";
import { join } from "node:path";
import { component, type Component, type StartOptions } from "./component.js";
import { etcd } from "./etcd.js";
import {
  readTokens,
  tokensFile,
  writeKubeconfig,
  writeServiceAccountKeys,
  writeTokens,
  type Tokens,
} from "./kubernetes/credentials.js";
import { kubeApiserver } from "./kubernetes/kube-apiserver.js";
import { answersHttps } from "./process/probe.js";
import type { Service } from "./process/service.js";

/** Files that the server creates at its start: a certificate for 127.0.0.1, and its CA. */
const certificate = "certificates/apiserver.crt";

/** kube-apiserver without a store; {@link kubernetes} adds one. */
const apiserver = component({
  name: "kube-apiserver",
  program: kubeApiserver,
  ports: ["https"],
  readyWithin: 90_000,
  async initialise({ dir }) {
    writeServiceAccountKeys(dir);
    writeTokens(dir);
  },
  args: ({ ports }) => [
    "--bind-address=127.0.0.1",
    "--advertise-address=127.0.0.1",
    `--secure-port=${ports.https}`,
    "--cert-dir=certificates",
    `--token-auth-file=${tokensFile}`,
    "--authorization-mode=RBAC",
    "--service-account-issuer=https://kubernetes.default.svc",
    "--service-account-key-file=service-accounts.pub",
    "--service-account-signing-key-file=service-accounts.key",
    "--service-cluster-ip-range=10.0.0.0/24",
    // Without kube-controller-manager, there are no default service accounts.
    "--disable-admission-plugins=ServiceAccount",
    "--endpoint-reconciler-type=none",
    "--shutdown-delay-duration=0s",
  ],
  async ready({ dir, ports }) {
    return answersHttps(
      `https://127.0.0.1:${ports.https}/readyz`,
      readFileSync(join(dir, certificate), "utf8"),
    );
  },
  expose: ({ dir, ports }) => ({
    url: `https://127.0.0.1:${ports.https}`,
    ca: readFileSync(join(dir, certificate), "utf8"),
    tokens: readTokens(dir),
  }),
});

/** Running Kubernetes API. */
export interface Kubernetes extends Service<"https"> {
  readonly url: string;
  /** CA of the server's certificate, in PEM. */
  readonly ca: string;
  /** Path of a kubeconfig of `admin`, who has all permissions. */
  readonly kubeconfig: string;
  /** Token of the admin. */
  readonly token: string;
  /** Tokens of all users: `alice` (in the group `developers`) and `bob` have only permissions by RBAC. */
  readonly tokens: Tokens;
  readonly folder: string;
  /** etcd of this server, stopped with it. */
  readonly etcd: Awaited<ReturnType<typeof etcd.start>>;
}

/**
 * Kubernetes API without controllers and nodes: kube-apiserver and etcd. So there is no garbage collection, namespaces
 * get no service account and are never removed, and no pod runs.
 *
 * @example await using cluster = await kubernetes.start(); await kubectl(["get", "namespaces", "--kubeconfig",
 * cluster.kubeconfig]);
 */
export const kubernetes = startedWith(undefined);

function startedWith(defaults: StartOptions | undefined): Component<Kubernetes> {
  return {
    name: "kubernetes",
    async obtain() {
      await etcd.obtain();
      return apiserver.obtain();
    },
    async start(options = defaults) {
      const store = await etcd.start();
      try {
        return await startOn(store, options);
      } catch (error) {
        await store.stop();
        throw error;
      }
    },
    with: startedWith,
  };
}

async function startOn(store: Kubernetes["etcd"], options: StartOptions | undefined): Promise<Kubernetes> {
  const server = await apiserver.start({
    args: [`--etcd-servers=${store.url}`, ...(options?.args ?? [])],
  });
  const { url, ca, dir, tokens } = server;
  const end = server.stop.bind(server);
  return Object.assign(server, {
    token: tokens.admin,
    folder: dir,
    etcd: store,
    kubeconfig: writeKubeconfig(dir, "admin", { url, ca, token: tokens.admin }),
    async stop() {
      try {
        await end();
      } finally {
        await store.stop();
      }
    },
  });
}
