import type { $ZodType } from "zod/v4/core";

import { checkRules } from "../cel/rules/check-rules.js";
import { fieldErrorBody } from "../object/field-errors.js";
import { deepFreeze } from "../object/freeze.js";
import { problemCollector, type ReportProblem } from "./convert/problems.js";
import { type DefinitionProblem, throwProblems } from "./convert/definition-error.js";
import { checkScale, checkSelectableFields, resolveColumns, withStandardColumns } from "./resource-fields.js";
import { resourceNames } from "./resource-names.js";
import type { ResourceOf, ResourceOptions, ResourceVersion, Subresources } from "./resource-types.js";
import { standardStatus } from "./standard-status.js";
import type { SchemaDraft, StructuralSchema } from "../schema/structural-schema.js";
import { checkStructural } from "../schema/structural-check.js";
import { toStructural } from "./convert/to-structural.js";

/**
 * Defines a kind. Spec and status are declared once, as zod schemas, and everything else is derived from
 * them: static types, the schema for the API server, the CRD.
 *
 * @throws {DefinitionError} with every problem, if a Kubernetes API server could not serve this kind.
 *
 * @example
 * const Site = resource("demo.dev/v1", "Site", {
 *   spec: z.object({ title: z.string(), pages: z.int().min(1).default(1) }),
 *   status: z.object({ published: z.int() }),
 *   columns: [{ name: "Pages", path: ".spec.pages" }],
 * });
 */
export function resource<
  const ApiVersion extends string,
  const Kind extends string,
  Spec extends $ZodType,
  Status extends $ZodType | undefined = undefined,
>(
  apiVersion: ApiVersion,
  kind: Kind,
  options: ResourceOptions<Spec, Status>,
): ResourceOf<ApiVersion, Kind, Spec, Status> {
  const problems: DefinitionProblem[] = [];
  const report = problemCollector(problems);
  const { scope = "Namespaced", description, scale, selectableFields = [] } = options;
  if (scope !== "Namespaced" && scope !== "Cluster") {
    report("scope", `"${String(scope)}" is not a valid scope`, 'use "Namespaced" or "Cluster"');
  }
  const names = resourceNames(apiVersion, kind, options, report);
  const schema = objectSchema(options, problems, report);
  const columns = withStandardColumns(resolveColumns(options.columns ?? [], schema, report), schema);
  if (scale) checkScale(scale, schema, report);
  checkSelectableFields(selectableFields, schema, report);
  throwProblems(kind === "" ? "resource" : kind, problems);

  const subresources: Subresources = {
    status: options.status !== undefined,
    ...(scale && { scale: { ...scale } }),
  };
  const { group, version, ...otherNames } = names;
  const perVersion = { schema, subresources, columns, selectableFields: [...selectableFields] };
  const only: ResourceVersion = { name: version, served: true, storage: true, ...perVersion };
  const defined: ResourceOf<ApiVersion, Kind, Spec, Status> = {
    apiVersion,
    group,
    version,
    kind,
    ...otherNames,
    scope,
    ...(description !== undefined && { description }),
    ...(options.approval !== undefined && { approval: options.approval }),
    ...perVersion,
    versions: [only],
  };
  return deepFreeze(defined);
}

/** Schema of the whole object. The API server itself describes apiVersion, kind and metadata. */
function objectSchema(
  options: ResourceOptions<$ZodType, $ZodType | undefined>,
  problems: DefinitionProblem[],
  report: ReportProblem,
): StructuralSchema {
  const { description, validations = [] } = options;
  const before = problems.length;
  const spec = convertPart("spec", options.spec, problems, report);
  const properties: Record<string, StructuralSchema> = {
    apiVersion: { type: "string" },
    kind: { type: "string" },
    metadata: { type: "object" },
    spec,
  };
  // A spec without required fields is optional, and defaults to an empty object.
  const isNeeded = (spec.required ?? []).length > 0 && spec.default === undefined;
  if (!isNeeded) spec.default ??= {};
  if (options.status)
    properties["status"] = statusSchema(convertPart("status", options.status, problems, report), {
      isStandard: options.standardStatus ?? true,
      report,
    });

  const schema: SchemaDraft = { type: "object", properties };
  if (description !== undefined) schema.description = description;
  if (isNeeded) schema.required = ["spec"];
  if (validations.length > 0)
    schema["x-kubernetes-validations"] = validations.map((rule) => Object.assign({}, rule));

  // Unsupported parts are missing from the schema, so further checks would only add noise.
  if (problems.length === before) {
    for (const { path, message } of checkStructural(schema)) {
      report(
        asFieldPath(path),
        message,
        "Kubernetes would reject the CRD with this message: correct .meta() or the rule there",
      );
    }
  }
  if (problems.length === before) {
    for (const error of checkRules(schema, "")) {
      report(
        asFieldPath(error.field),
        fieldErrorBody(error),
        "Kubernetes would reject the CRD with this message: change the rule, or limit lists, maps and strings with .max()",
      );
    }
  }
  return schema;
}

function convertPart(
  name: "spec" | "status",
  source: $ZodType,
  problems: DefinitionProblem[],
  report: ReportProblem,
): SchemaDraft {
  const { schema, optional, problems: found } = toStructural(source, name);
  problems.push(...found);
  if (found.length > 0) return { ...schema };
  if (schema.type !== "object") {
    report(name, `the ${name} must be an object`, `write ${name}: z.object({ … })`);
  } else if (schema.nullable || (optional && schema.default === undefined)) {
    report(name, `the ${name} as a whole cannot be optional or nullable`, "make its fields optional");
  }
  return { ...schema };
}

/**
 * Adds the standard status fields if they are wanted, and makes every field optional: a controller that fails early reports only
 * a condition.
 */
function statusSchema(
  status: SchemaDraft,
  { isStandard, report }: { readonly isStandard: boolean; readonly report: ReportProblem },
): SchemaDraft {
  if (status.type !== "object" || status.additionalProperties !== undefined) return status;
  if (status.oneOf ?? status.allOf) {
    report(
      "status",
      "the status as a whole cannot be a union: a controller fills it field by field",
      "move the union into a field",
    );
  }
  const { required: _required, ...rest } = status;
  return isStandard ? { ...rest, properties: { ...standardStatus, ...status.properties } } : rest;
}

/**
 * Converts a schema path to the author's notation: `properties[spec].properties[ports].items` is
 * `spec.ports[]`.
 */
function asFieldPath(path: string): string {
  const names = path
    .replaceAll(/(?:^|\.)properties\[([^\]]*)\]/g, ".$1")
    .replaceAll(/\.items\b/g, "[]")
    .replaceAll(/\.additionalProperties\b/g, ".*");
  return names.replace(/^\./, "");
}
