import { failures, fieldErrors, type KubeObject } from "../../../model/core.js";
import { apply } from "../../../model/apply/apply.js";
import { conflictError } from "../../../model/apply/conflicts.js";
import { apiVersionOf, type Draft, type ResourceType } from "../../resources/resource-type.js";
import type { Context } from "../context.js";
import { resourceOf } from "../keys.js";
import type { Body, Patch, Target, WriteOptions, Written } from "../requests.js";
import { copyOf } from "./copy.js";
import { createTidied } from "./creating.js";
import { objectIn, tidy } from "./incoming.js";
import { writeOf } from "./ownership.js";
import { revising } from "./updating.js";

/** Server-side apply: creates the object, or changes the fields that the manager applies. */
export function applying(
  context: Context,
  type: ResourceType,
  target: Target,
  { body, force }: Patch,
  options: WriteOptions,
): Promise<Written> {
  if (!options.fieldManager) {
    throw failures.invalid({ group: "meta.k8s.io", kind: "PatchOptions" }, "", [
      fieldErrors.required("fieldManager", "is required for apply patch"),
    ]);
  }
  const config = configIn(type, target, body);
  const revise = (live?: KubeObject): Draft => {
    const result = apply({
      ...writeOf(context, type, options),
      kind: type.kind,
      apiVersion: apiVersionOf(type),
      live,
      config,
      force,
    });
    if ("conflicts" in result) throw conflictError(result.conflicts);
    const draft = copyOf(result.object) as Draft;
    tidy(type, draft, body, options);
    if (result.managedFields !== undefined) draft.metadata["managedFields"] = result.managedFields;
    return draft;
  };
  return revising(context, type, target, options, {
    revise,
    recorded: true,
    create:
      options.subresource === undefined
        ? () => {
            const draft = revise();
            checkNoUid(type, target, draft);
            return createTidied(context, type, draft, options, true);
          }
        : undefined,
  });
}

/** What is applied; it may leave its name to the address, but nothing else. */
function configIn(type: ResourceType, target: Target, body: Body): Draft {
  const { apiVersion, kind } = (body.object ?? {}) as { apiVersion?: unknown; kind?: unknown };
  if (!apiVersion || !kind) throw failures.badRequest("invalid object type: /, Kind=");
  const config = objectIn(type, body, { namespace: target.namespace });
  config.metadata["name"] ??= target.name;
  return objectIn(type, { object: config, fresh: true }, target);
}

function checkNoUid(type: ResourceType, { name }: Target, { metadata }: Draft): void {
  const uid = metadata["uid"] as string | undefined;
  if (!uid) return;
  const why = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
  throw failures.conflict(resourceOf(type), name, why);
}
