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
import type { ObjectSchema } from "../../../model/structural/object-schema.js";
import { typedRules } from "../../kinds/typed/typed-rules.js";
import { findKind } from "../../kinds/types.js";
import { compileJsonPath, type JsonPath } from "../../resources/json-path.js";
import {
  apiVersionOf,
  type Draft,
  type ResourceType,
  type ScalePaths,
} from "../../resources/resource-type.js";
import { PlainObject, type StoredObject } from "../../resources/stored-object.js";
import type { Context } from "../context.js";
import type { Body, Patch, Target, WriteOptions, Written } from "../requests.js";
import { applying } from "./applying.js";
import { copyOf } from "./copy.js";
import { objectIn, tidyFields, type ReadableType, type Refuse } from "./incoming.js";
import { applied, refusing } from "./patching.js";
import { checkUid, revising } from "./updating.js";

/** An object as autoscaling/v1 shows it. */
export function scaleOf(type: ResourceType, live: KubeObject): PlainObject {
  const { statusReplicasPath, labelSelectorPath } = pathsOf(type);
  const { name, namespace, uid, resourceVersion, creationTimestamp } = live.metadata;
  const present = compileJsonPath(statusReplicasPath).first(live);
  const selector = labelSelectorPath && compileJsonPath(labelSelectorPath).first(live);
  const scale = {
    apiVersion: "autoscaling/v1",
    kind: "Scale",
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: { replicas: wantedOf(type, live) ?? 0 },
    status: {
      replicas: typeof present === "number" ? present : 0,
      selector: selectorText(selector),
    },
  };
  return new PlainObject(copyOf(scale));
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

/** Replaces an object's Scale: writes how many replicas there are to be. */
export async function updateScale(
  context: Context,
  type: ResourceType,
  target: Target,
  body: Body,
  options: WriteOptions,
): Promise<Written> {
  const scale = scaleIn(type, target, body, options);
  const revise = ({ object }: StoredObject): Draft =>
    scaled(type, target, object, scale, replicasIn(scale) ?? 0);
  return asScale(type, await revising(context, type, target, options, { revise }));
}

/** Patches an object's Scale. To apply one is to apply the replicas of what it stands for. */
export async function patchScale(
  context: Context,
  type: ResourceType,
  target: Target,
  patch: Patch,
  options: WriteOptions,
): Promise<Written> {
  if (patch.type === "apply") {
    const object = configOf(type, target, scaleIn(type, target, patch.body, options)) as unknown as Json;
    return asScale(type, await applying(context, type, target, { ...patch, body: { object } }, options));
  }
  const revise = ({ object: live }: StoredObject): Draft => {
    const object = applied(patchable(type, live), patch, {});
    const body = { object, duplicates: patch.body.duplicates };
    const scale = scaleIn(type, target, body, options, refusing(patch, object));
    const replicas = replicasIn(scale);
    if (replicas !== undefined) return scaled(type, target, live, scale, replicas);
    throw failures.badRequest(
      `the spec replicas field ${quote(pathsOf(type).specReplicasPath)} cannot be empty`,
    );
  };
  return asScale(type, await revising(context, type, target, options, { revise }));
}

function pathsOf({ subresources: { scale } }: ResourceType): ScalePaths {
  if (scale === undefined) throw new Error("objects of this kind cannot be scaled");
  return scale;
}

function wantedPath(type: ResourceType): JsonPath {
  return compileJsonPath(pathsOf(type).specReplicasPath);
}

/** How many replicas an object asks for, if it says so. */
function wantedOf(type: ResourceType, object: KubeObject): number | undefined {
  const replicas = wantedPath(type).first(object);
  return typeof replicas === "number" ? replicas : undefined;
}

/** What patches of a Scale are laid over: where an object says nothing of replicas, its Scale does not either. */
function patchable(type: ResourceType, live: KubeObject): Json {
  const scale = scaleOf(type, live).object as unknown as JsonObject;
  return wantedOf(type, live) === undefined ? { ...scale, spec: {} } : scale;
}

/** The object with as many replicas as a Scale asks for. */
function scaled(
  type: ResourceType,
  target: Target,
  live: KubeObject,
  { metadata }: Draft,
  replicas: number,
): Draft {
  checkUid(type, target, metadata, live.metadata.uid);
  const updated = copyOf(live) as Draft;
  setReplicas(type, target, updated, replicas);
  if (metadata["resourceVersion"]) updated.metadata["resourceVersion"] = metadata["resourceVersion"];
  return updated;
}

/** What somebody who applies a Scale applies to the object itself. */
function configOf(type: ResourceType, target: Target, scale: Draft): Draft {
  const { uid, resourceVersion } = scale.metadata;
  const metadata = { name: target.name, uid, resourceVersion };
  const config: Draft = copyOf({ apiVersion: apiVersionOf(type), kind: type.kind, metadata });
  const replicas = replicasIn(scale);
  if (replicas !== undefined) setReplicas(type, target, config, replicas);
  return config;
}

function setReplicas(type: ResourceType, { name }: Target, object: Draft, replicas: number): void {
  if (replicas < 0) {
    throw failures.invalid({ group: "autoscaling", kind: "Scale" }, name, [
      fieldErrors.invalid("spec.replicas", replicas, "must be greater than or equal to 0"),
    ]);
  }
  wantedPath(type).set(object, replicas);
}

let scaleRules: ObjectSchema | undefined;

function rulesOfScale(): ObjectSchema {
  const struct = findKind("autoscaling/v1", "Scale");
  if (struct === undefined) throw new Error("nothing is known of Scale");
  return typedRules(struct);
}

/** A Scale is a built-in kind, whatever it scales. */
function scaleIn(
  { namespaced }: ResourceType,
  target: Target,
  body: Body,
  options: WriteOptions,
  refuse?: Refuse,
): Draft {
  scaleRules ??= rulesOfScale();
  const type: ReadableType = {
    group: "autoscaling",
    version: "v1",
    kind: "Scale",
    plural: "scales",
    namespaced,
    capabilities: { decoding: "typed" },
    rules: scaleRules,
  };
  const scale = objectIn(type, body, target);
  tidyFields(type, scale, body, options, { refuse });
  return scale;
}

function replicasIn(scale: Draft): number | undefined {
  const spec = scale["spec"] as { replicas?: number | null } | null | undefined;
  return spec?.replicas ?? undefined;
}

function asScale(type: ResourceType, { answer, created }: Written): Written {
  return { answer: scaleOf(type, answer.object), created };
}
