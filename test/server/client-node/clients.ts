import {
  ApiException,
  ApiextensionsV1Api,
  CoreV1Api,
  CustomObjectsApi,
  KubeConfig,
  KubernetesObjectApi,
  loadYaml,
  type KubernetesObject,
  type V1CustomResourceDefinition,
  type V1Status,
} from "@kubernetes/client-node";
import { afterAll, beforeAll, expect } from "vitest";
import { startTestServer, type TestServer } from "../test-server.js";
import { widgetDefinition } from "../widgets.js";

export interface Widget extends KubernetesObject {
  spec?: { color: string; size?: string; replicas?: number; ports?: { name: string; port: number }[] };
  status?: { replicas?: number };
}

export const widgets = { group: "demo.dev", version: "v1", plural: "widgets" };

/** Clients of one server, created from its kubeconfig. */
export interface Clients {
  readonly server: TestServer;
  readonly config: KubeConfig;
  readonly core: CoreV1Api;
  readonly custom: CustomObjectsApi;
  readonly generic: KubernetesObjectApi;
}

/** Server for a file of tests, with widgets and a namespace, and clients for it. */
export function clientsFor(namespace: string): Clients {
  const clients = {} as { -readonly [Name in keyof Clients]: Clients[Name] };
  beforeAll(async () => {
    clients.server = await startTestServer();
    const config = new KubeConfig();
    config.loadFromFile(clients.server.kubeconfig);
    clients.config = config;
    clients.core = config.makeApiClient(CoreV1Api);
    clients.custom = config.makeApiClient(CustomObjectsApi);
    clients.generic = KubernetesObjectApi.makeApiClient(config);
    await clients.core.createNamespace({ body: { metadata: { name: namespace } } });
    await defineWidgets(config);
  });
  afterAll(async () => {
    await clients.server?.close();
    expect(clients.server?.errors).toEqual([]);
  });
  return clients;
}

async function defineWidgets(config: KubeConfig): Promise<void> {
  const definitions = config.makeApiClient(ApiextensionsV1Api);
  const body = loadYaml<V1CustomResourceDefinition>(widgetDefinition);
  const made = await definitions.createCustomResourceDefinition({ body });
  expect(made.metadata?.uid).toBeTruthy();
  const { status } = await definitions.readCustomResourceDefinition({ name: "widgets.demo.dev" });
  expect(status?.conditions?.map(({ type, status }) => `${type}=${status}`)).toEqual(
    expect.arrayContaining(["NamesAccepted=True", "Established=True"]),
  );
}

/** Code and message of the error that a request rejects with. */
export async function failureOf(work: Promise<unknown>): Promise<{ code: number; status: V1Status }> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof ApiException)) throw error;
    const { code, body } = error as ApiException<string | V1Status>;
    return { code, status: typeof body === "string" ? (JSON.parse(body) as V1Status) : body };
  }
  throw new Error("the request succeeded unexpectedly");
}
