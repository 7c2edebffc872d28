import { failures, fieldErrors } from "../../../model/core.js";
import { apply } from "../../../model/apply/apply.js";
import { conflictError } from "../../../model/apply/conflicts.js";
import { apiVersionOf, type Draft, type ResourceType } from "../../resources/resource-type.js";
import type { StoredObject } from "../../resources/stored-object.js";
import type { Context } from "../context.js";
import { resourceOf } from "../keys.js";
import type { Body, Patch, Target, WriteOptions, Written } from "../requests.js";
import { copyOf, copyOfLoose } from "./copy.js";
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
  const revise = (live?: StoredObject): Draft => {
    const result = apply({
      ...writeOf(context, type, options),
      kind: type.kind,
      apiVersion: apiVersionOf(type),
      live: live?.object,
      config,
      force,
    });
    if ("conflicts" in result) throw conflictError(result.conflicts);
    const known = live?.isTidy ? live.object : undefined;
    const draft = (known ? copyOfLoose(result.object) : copyOf(result.object)) as Draft;
    tidy(type, draft, body, options, { known });
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
            if (type.namespaced) draft.metadata["namespace"] ??= target.namespace;
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
  const expected = apiVersionOf(type);
  if (
    typeof apiVersion === "string" &&
    typeof kind === "string" &&
    `${apiVersion}, ${kind}` !== `${expected}, ${type.kind}`
  ) {
    const full = apiVersion.includes("/") ? apiVersion : `/${apiVersion}`;
    throw failures.badRequest(`invalid object type: ${full}, Kind=${kind}`);
  }
  const config = objectIn(type, body, { namespace: target.namespace });
  const sent = (body.object as { metadata?: { namespace?: unknown } | null } | undefined)?.metadata
    ?.namespace;
  config.metadata["name"] ??= target.name;
  const named = objectIn(type, { object: config, fresh: true }, target);
  // Nobody applies what stands in the address only.
  if (sent === undefined) delete named.metadata["namespace"];
  return named;
}

function checkNoUid(type: ResourceType, { name }: Target, { metadata }: Draft): void {
  const uid = metadata["uid"] as string | undefined;
  if (!uid) return;
  const why = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
  throw failures.conflict(resourceOf(type), name, why);
}
