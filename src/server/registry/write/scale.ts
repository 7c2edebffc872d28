import {
  failures,
  fieldErrors,
  labelSelector,
  type LabelSelectorSpec,
  type Json,
  type JsonObject,
  type KubeObject,
} from "../../../model/core.js";
import { quote } from "../../../model/object/quote.js";
import { compileJsonPath, type JsonPath } from "../../resources/json-path.js";
import {
  apiVersionOf,
  type Draft,
  type ResourceType,
  type ScalePaths,
} from "../../resources/resource-type.js";
import { PlainObject, type StoredObject } from "../../resources/stored-object.js";
import type { RegistryContext } from "../context.js";
import type { PatchRequest, WriteRequest, WriteResponse } from "../requests.js";
import { applyObject } from "./apply.js";
import { copyJson } from "./copy-json.js";
import { decodeTyped } from "./decode-typed.js";
import { applyPatch, patchError } from "./patch.js";
import { checkUid, writeObject } from "./update.js";

/** Scale of an object. */
export function scaleOf(type: ResourceType, live: KubeObject): PlainObject {
  const { statusReplicasPath, labelSelectorPath } = pathsOf(type);
  const { name, namespace, uid, resourceVersion, creationTimestamp } = live.metadata;
  const present = compileJsonPath(statusReplicasPath).first(live);
  const selector = labelSelectorPath && compileJsonPath(labelSelectorPath).first(live);
  const scale = {
    apiVersion: "autoscaling/v1",
    kind: "Scale",
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: { replicas: desiredReplicas(type, live) ?? 0 },
    status: {
      replicas: typeof present === "number" ? present : 0,
      selector: selectorText(selector),
    },
  };
  return new PlainObject(copyJson(scale));
}

/** A selector as text: custom resources have it so, built-in kinds as a structure or a plain map of labels. */
function selectorText(selector: unknown): string | undefined {
  if (typeof selector === "string") return selector;
  if (typeof selector !== "object" || selector === null) return undefined;
  const isStructured = "matchLabels" in selector || "matchExpressions" in selector;
  const spec = isStructured ? selector : { matchLabels: selector };
  const text = labelSelector(spec as LabelSelectorSpec).toString();
  return text === "" ? undefined : text;
}

/** Replaces an object's Scale: sets its desired number of replicas. */
export async function updateScale(context: RegistryContext, request: WriteRequest): Promise<WriteResponse> {
  const scale = decodeTyped(request, request.body);
  const propose = ({ object }: StoredObject): Draft =>
    withScale(request, object, scale, replicasIn(scale) ?? 0);
  return asScale(request.type, await writeObject(context, request, { propose }));
}

/** Patches an object's Scale. Applying one applies the number of replicas to the object. */
export async function patchScale(context: RegistryContext, request: PatchRequest): Promise<WriteResponse> {
  const { type, patchType, body } = request;
  if (patchType === "apply") {
    const object = configurationOf(request, decodeTyped(request, body)) as unknown as Json;
    return asScale(type, await applyObject(context, { ...request, body: { object } }));
  }
  const propose = async ({ object: live }: StoredObject): Promise<Draft> => {
    const object = await applyPatch(patchable(type, live), request, {});
    const patched = { object, duplicates: body.duplicates };
    const scale = decodeTyped(request, patched, patchError(request, object));
    const replicas = replicasIn(scale);
    if (replicas !== undefined) return withScale(request, live, scale, replicas);
    throw failures.badRequest(
      `the spec replicas field ${quote(pathsOf(type).specReplicasPath)} cannot be empty`,
    );
  };
  return asScale(type, await writeObject(context, request, { propose }));
}

function pathsOf({ subresources: { scale } }: ResourceType): ScalePaths {
  if (scale === undefined) throw new Error("objects of this kind cannot be scaled");
  return scale;
}

function replicasPath(type: ResourceType): JsonPath {
  return compileJsonPath(pathsOf(type).specReplicasPath);
}

/** Desired number of replicas, if the object has one. */
function desiredReplicas(type: ResourceType, object: KubeObject): number | undefined {
  const replicas = replicasPath(type).first(object);
  return typeof replicas === "number" ? replicas : undefined;
}

/** Scale that patches are applied to: without replicas if the object has none. */
function patchable(type: ResourceType, live: KubeObject): Json {
  const scale = scaleOf(type, live).object as unknown as JsonObject;
  return desiredReplicas(type, live) === undefined ? { ...scale, spec: {} } : scale;
}

/** Copy of an object with the number of replicas that a Scale asks for. */
function withScale(request: WriteRequest, live: KubeObject, { metadata }: Draft, replicas: number): Draft {
  checkUid(request, metadata, live.metadata.uid);
  const updated = copyJson(live) as Draft;
  setReplicas(request, updated, replicas);
  if (metadata["resourceVersion"]) updated.metadata["resourceVersion"] = metadata["resourceVersion"];
  return updated;
}

/** Configuration of the object that has the effect of applying a Scale. */
function configurationOf(request: WriteRequest, scale: Draft): Draft {
  const { type, name } = request;
  const { uid, resourceVersion } = scale.metadata;
  const metadata = { name, uid, resourceVersion };
  const config: Draft = copyJson({ apiVersion: apiVersionOf(type), kind: type.kind, metadata });
  const replicas = replicasIn(scale);
  if (replicas !== undefined) setReplicas(request, config, replicas);
  return config;
}

function setReplicas({ type, name }: WriteRequest, object: Draft, replicas: number): void {
  if (replicas < 0) {
    throw failures.invalid({ group: "autoscaling", kind: "Scale" }, name, [
      fieldErrors.invalid("spec.replicas", replicas, "must be greater than or equal to 0"),
    ]);
  }
  replicasPath(type).set(object, replicas);
}

function replicasIn(scale: Draft): number | undefined {
  const spec = scale["spec"] as { replicas?: number | null } | null | undefined;
  return spec?.replicas ?? undefined;
}

function asScale(type: ResourceType, { object, created }: WriteResponse): WriteResponse {
  return { object: scaleOf(type, object.object), created };
}
