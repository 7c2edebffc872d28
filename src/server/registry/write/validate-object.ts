import {
  failures,
  fieldErrors,
  validateObjectMeta,
  validateObjectMetaUpdate,
  type KubeObject,
  type ObjectMeta,
} from "../../../model/core.js";
import { validateFinalizers, validateStandardFinalizers } from "../../../model/object/finalizers.js";
import { quote } from "../../../model/object/quote.js";
import type { Draft } from "../../resources/resource-type.js";
import type { ResourceRequest, ServerWriteOptions } from "../requests.js";

type Request = Pick<ResourceRequest<ServerWriteOptions>, "type" | "subresource" | "warn">;

/**
 * Validates a new object: metadata, schema, rules of the kind.
 *
 * @throws {ApiError} 422 with all that is wrong.
 */
export function validateCreate(request: Request, draft: Draft): void {
  const { type } = request;
  const { namespaced, strategy, capabilities } = type;
  refuse(request, draft, [
    ...validateObjectMeta(draft.metadata, {
      namespaced,
      requireQualifiedFinalizers: capabilities.unqualifiedFinalizers === "refuse",
      validateName: strategy.validateName,
    }),
    ...type.rules.validate(draft),
    ...(strategy.validate?.(draft) ?? []),
  ]);
  sendWarnings(request, draft, undefined);
}

/**
 * Validates an update. A value that violates the schema and did not change is tolerated with a warning, also when the write is
 * refused for another reason.
 *
 * @throws {ApiError} 422 with all that is wrong.
 */
export function validateUpdate(request: Request, updated: Draft, live: KubeObject): void {
  const { type, subresource, warn } = request;
  const { strategy, capabilities } = type;
  const metadata = updated.metadata as ObjectMeta;
  refuse(request, live, [
    ...validateFinalizers(metadata.finalizers, "metadata.finalizers"),
    ...validateObjectMetaUpdate(metadata, live.metadata, {
      requireQualifiedFinalizers: capabilities.unqualifiedFinalizers === "refuse",
    }),
    ...type.rules.validate(updated, live, {
      statusOnly: subresource === "status",
      tolerate: warn && ((error) => warn(fieldErrors.renderFieldError(error))),
    }),
    ...(strategy.validateUpdate?.(updated, live, subresource) ?? []),
  ]);
  sendWarnings(request, updated, live);
}

function refuse(
  { type: { group, kind } }: Request,
  { metadata }: { readonly metadata: { readonly name?: string } },
  errors: readonly fieldErrors.FieldError[],
): void {
  if (errors.length > 0) throw failures.invalid({ group, kind }, metadata.name ?? "", errors);
}

function sendWarnings(request: Request, draft: Draft, live: KubeObject | undefined): void {
  const { type, subresource, warn } = request;
  for (const text of type.strategy.warnings?.(draft, live) ?? []) warn?.(text);
  if (subresource === undefined) warnOfUnqualifiedFinalizers(request, draft, live);
}

/** Warns of new finalizers without a domain, for kinds that accept them. */
function warnOfUnqualifiedFinalizers(
  { type: { capabilities }, warn }: Request,
  { metadata }: Draft,
  live: KubeObject | undefined,
): void {
  const finalizers = metadata["finalizers"] as readonly string[] | undefined;
  if (capabilities.unqualifiedFinalizers !== "warn" || warn === undefined || finalizers === undefined) return;
  const before = live?.metadata.finalizers ?? [];
  const added = [...new Set(finalizers)].filter((finalizer) => !before.includes(finalizer)).sort();
  for (const finalizer of added) {
    if (validateStandardFinalizers([finalizer], "").length === 0) continue;
    const path = finalizer.includes(".") ? " including a path (/)" : "";
    warn(
      `metadata.finalizers: ${quote(finalizer)}: prefer a domain-qualified finalizer name${path} to avoid accidental conflicts with other finalizer writers`,
    );
  }
}
