import { failures } from "../../../model/core.js";
import { applySteps } from "../../../model/apply/apply.js";
import { conflictError } from "../../../model/apply/conflicts.js";
import { apiVersionOf, type Draft } from "../../resources/resource-type.js";
import type { StoredObject } from "../../resources/stored-object.js";
import type { RegistryContext } from "../context.js";
import { resourceOf } from "../keys.js";
import type { WriteRequest, WriteResponse } from "../requests.js";
import { copyJson, copyUnfrozen } from "./copy-json.js";
import { decodeObject, pruneAndDefault, runSteps, type NextStep } from "./prune-and-default.js";
import { ownershipWrite } from "./record-ownership.js";
import { writeObject } from "./update.js";

/** Server-side apply: creates the object, or changes the fields that the manager applies. */
export function applyObject(context: RegistryContext, request: WriteRequest): Promise<WriteResponse> {
  const { type, body, options, subresource } = request;
  const config = decodeConfiguration(request);
  const propose = async (live: StoredObject | undefined, nextStep: NextStep): Promise<Draft> => {
    const steps = applySteps({
      ...ownershipWrite(context, request),
      kind: type.kind,
      apiVersion: apiVersionOf(type),
      live: live?.object,
      config,
      force: options.force,
    });
    const result = await runSteps(steps, nextStep);
    if ("conflicts" in result) throw conflictError(result.conflicts);
    if (nextStep !== undefined) await nextStep();
    const canonical = live?.isCanonical ? live.object : undefined;
    const draft = (canonical ? copyUnfrozen(result.object) : copyJson(result.object)) as Draft;
    if (nextStep !== undefined) await nextStep();
    await pruneAndDefault(type, draft, body, request, { canonical, nextStep });
    if (result.managedFields !== undefined) draft.metadata["managedFields"] = result.managedFields;
    return draft;
  };
  const proposeNew = async (nextStep: NextStep): Promise<Draft> => {
    const draft = await propose(undefined, nextStep);
    if (type.namespaced) draft.metadata["namespace"] ??= request.namespace;
    checkNoUid(request, draft);
    return draft;
  };
  return writeObject(context, request, {
    propose,
    proposeNew: subresource === undefined ? proposeNew : undefined,
    // Applying the configuration has computed the ownership.
    recordOwnership: () => {},
  });
}

/** Applied configuration. It may leave its name and namespace to the address, but not its apiVersion and kind. */
function decodeConfiguration(request: WriteRequest): Draft {
  const { type, body, namespace, name } = request;
  const { apiVersion, kind, metadata } = (body.object ?? {}) as {
    apiVersion?: unknown;
    kind?: unknown;
    metadata?: { namespace?: unknown } | null;
  };
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
  const unnamed = decodeObject(type, body, { namespace });
  unnamed.metadata["name"] ??= name;
  const config = decodeObject(type, { object: unnamed, fresh: true }, request);
  // A namespace that is only in the address is not applied.
  if (metadata?.namespace === undefined) delete config.metadata["namespace"];
  return config;
}

function checkNoUid({ type, name }: WriteRequest, { metadata }: Draft): void {
  const uid = metadata["uid"] as string | undefined;
  if (!uid) return;
  const why = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
  throw failures.conflict(resourceOf(type), name, why);
}
