import { isAlreadyExists, isForbidden, isNotFound, type Json, type JsonObject } from "../../model/core.js";
import { jsonEqual } from "../../model/object/json.js";
import type { ObjectKey } from "../../model/object/object-key.js";
import type { Entry, StoreEvent } from "../../store/index.js";
import { familyOf } from "../kinds/strategy/network/address-range.js";
import { namespacePrefix } from "../registry/namespaces.js";
import { apiVersionOf, type ResourceType } from "../resources/resource-type.js";
import { ServerController, type ServerControllerOptions } from "./server-controller.js";

/** Address of the server for its clients. */
export interface ServerAddress {
  /** IP address. */
  readonly address: string;
  readonly port: number;
  readonly secure: boolean;
  /** Certificate of the authority that signed the server's, in PEM. */
  readonly ca?: string | undefined;
}

const fieldManager = "fettle";
const namespace = "default";
const name = "kubernetes";
const bundle = "kube-root-ca.crt";

const bundlePrefix = "/core/configmaps/";
const sliceGroup = "discovery.k8s.io";

/** Store keys of the Service `kubernetes` and its endpoints, and their plurals. */
const keys: ReadonlyMap<string, string> = new Map([
  [`/core/services/${namespace}/${name}`, "services"],
  [`/core/endpoints/${namespace}/${name}`, "endpoints"],
  [`/${sliceGroup}/endpointslices/${namespace}/${name}`, "endpointslices"],
]);

/** An object about the server. */
interface Publication {
  /** Default: the core group. */
  readonly group?: string;
  readonly plural: string;
  /** The object without apiVersion, kind and name. */
  readonly content: JsonObject;
  /** Part that is kept up to date. Default: all of it. */
  readonly change?: JsonObject;
  /** Default: `kubernetes` in the namespace `default`. */
  readonly target?: ObjectKey;
}

/**
 * Publishes where the server is, as clients expect it of Kubernetes: the Service `kubernetes` with its endpoints in the namespace
 * `default`, and its certificate authority as the ConfigMap `kube-root-ca.crt` in every namespace.
 *
 * It writes them when the server starts and when they are missing, and leaves other changes alone: two servers with one store must not
 * undo each other's writes for ever.
 */
export class PublishedServer extends ServerController {
  readonly #clusterIP: string;
  readonly #namespaces = new Set<string>();
  #server: ServerAddress | undefined;

  constructor({ clusterIP, ...options }: ServerControllerOptions & { readonly clusterIP: string }) {
    super(options);
    this.#clusterIP = clusterIP;
  }

  publish(server: ServerAddress): void {
    this.#server = server;
    for (const plural of keys.values()) this.work.add(plural);
    for (const each of this.#namespaces) this.work.add(`${each}/${bundle}`);
  }

  changed({ type, key }: StoreEvent): void {
    const gone = type === "delete";
    if (key.startsWith(namespacePrefix)) {
      const changed = key.slice(namespacePrefix.length);
      if (gone) this.#namespaces.delete(changed);
      else this.#add(changed);
      return;
    }
    if (!gone) return;
    const plural = keys.get(key);
    if (plural !== undefined) this.work.add(plural);
    else if (key.startsWith(bundlePrefix) && key.endsWith(`/${bundle}`))
      this.work.add(key.slice(bundlePrefix.length));
  }

  present({ key }: Entry): void {
    if (key.startsWith(namespacePrefix)) this.#add(key.slice(namespacePrefix.length));
  }

  #add(added: string): void {
    if (this.#namespaces.has(added)) return;
    this.#namespaces.add(added);
    this.work.add(`${added}/${bundle}`);
  }

  protected async reconcile(key: string): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    const [first = "", isBundle] = key.split("/");
    if (isBundle !== undefined) await this.#publishBundle(first, server);
    else if (first === "services") await this.#publishService(server);
    else if (first === "endpoints") await this.#write({ plural: first, content: endpointsOf(server) });
    else await this.#write({ group: sliceGroup, plural: first, content: sliceOf(server) });
  }

  async #publishService(server: ServerAddress): Promise<void> {
    const clusterIP = this.#clusterIP;
    const ports = [{ ...portOf(server), port: server.secure ? 443 : 80, targetPort: server.port }];
    const spec = {
      type: "ClusterIP",
      clusterIP,
      ipFamilyPolicy: "SingleStack",
      ports,
      sessionAffinity: "None",
    };
    const metadata = { labels: { component: "apiserver", provider: "kubernetes" } };
    await this.#write({ plural: "services", content: { metadata, spec }, change: { spec: { ports } } });
  }

  async #publishBundle(target: string, { ca }: ServerAddress): Promise<void> {
    if (ca === undefined) return;
    const metadata = { annotations: { "kubernetes.io/description": description } };
    const data = { "ca.crt": ca };
    try {
      await this.#write({
        plural: "configmaps",
        content: { metadata, data },
        change: { data },
        target: { namespace: target, name: bundle },
      });
    } catch (error) {
      // The namespace is gone or being deleted.
      if (!isNotFound(error) && !isForbidden(error)) throw error;
    }
  }

  /** Creates an object, or changes the part of it that says where the server is. */
  async #write({
    group = "",
    plural,
    content,
    change = content,
    target = { namespace, name },
  }: Publication): Promise<void> {
    const type = this.#type(group, plural);
    try {
      const { object } = await this.api.get(type, target);
      if (includes(object as unknown as Json, change)) return;
      await this.api.patch(type, target, { type: "merge", body: { object: change } }, { fieldManager });
    } catch (error) {
      if (!isNotFound(error)) throw error;
      const metadata = { ...(content["metadata"] as JsonObject), name: target.name };
      const object = { apiVersion: apiVersionOf(type), kind: type.kind, ...content, metadata };
      try {
        await this.api.create(type, { namespace: target.namespace }, { object }, { fieldManager });
      } catch (failure) {
        if (!isAlreadyExists(failure)) throw failure;
      }
    }
  }

  #type(group: string, plural: string): ResourceType {
    const type = this.registry.types.find(group, "v1", plural);
    if (type === undefined) throw new Error(`${plural} are not served`);
    return type;
  }
}

const description =
  "Certificate authority of this API server, to verify the server at its address or as the Service kubernetes.";

function portOf({ secure }: ServerAddress): JsonObject {
  return { name: secure ? "https" : "http", protocol: "TCP" };
}

function endpointsOf(server: ServerAddress): JsonObject {
  const port = { ...portOf(server), port: server.port };
  return {
    // Whoever copies endpoints to slices leaves these alone: the slice is written here.
    metadata: { labels: { "endpointslice.kubernetes.io/skip-mirror": "true" } },
    subsets: [{ addresses: [{ ip: server.address }], ports: [port] }],
  };
}

function sliceOf(server: ServerAddress): JsonObject {
  const addressType = familyOf(server.address) ?? "IPv4";
  return {
    metadata: { labels: { "kubernetes.io/service-name": name } },
    addressType,
    endpoints: [{ addresses: [server.address], conditions: { ready: true } }],
    ports: [{ ...portOf(server), port: server.port }],
  };
}

/** Whether a value has all fields of another; lists must have the same items, each with all fields. */
function includes(value: Json, expected: Json): boolean {
  if (Array.isArray(expected)) {
    return (
      Array.isArray(value) &&
      value.length === expected.length &&
      expected.every((item: Json, index) => includes((value as readonly Json[])[index] ?? null, item))
    );
  }
  if (typeof expected !== "object" || expected === null) return jsonEqual(value, expected);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const fields = value as JsonObject;
  return Object.entries(expected).every(([field, inner]) => includes(fields[field] ?? null, inner));
}
