import type { KubeObject } from "../../model/core.js";
import { pausesName } from "../pauses/pauses.js";

/** Namespaces for the plane itself. */
const planeNamespaces: ReadonlySet<string> = new Set(["kube-system", "kube-public", "kube-node-lease"]);

/** Objects that every plane and cluster creates for itself, by kind. */
const planeObjects: Readonly<Record<string, readonly string[]>> = {
  ConfigMap: ["kube-root-ca.crt", pausesName],
  ServiceAccount: ["default"],
  Service: ["kubernetes"],
  Endpoints: ["kubernetes"],
  EndpointSlice: ["kubernetes"],
};

/**
 * True for an object that each plane has for itself, such as the CA certificate of its API. It is never pulled: it would replace the
 * one here.
 */
export function isPlaneObject({ kind, metadata: { name = "", namespace = "" } }: KubeObject): boolean {
  return (
    planeNamespaces.has(namespace) ||
    (Object.hasOwn(planeObjects, kind) && planeObjects[kind]?.includes(name) === true)
  );
}
