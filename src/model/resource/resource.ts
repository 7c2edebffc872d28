import type { $ZodType } from "zod/v4/core";

import { checkRules } from "../cel/rules/check-rules.js";
import { fieldErrorBody } from "../object/field-errors.js";
import { deepFreeze } from "../object/freeze.js";
import { problemCollector, type ReportProblem } from "./convert/problems.js";
import { type DefinitionProblem, throwProblems } from "./convert/definition-error.js";
import { checkScale, checkSelectableFields, resolveColumns } from "./resource-fields.js";
import { resourceNames } from "./resource-names.js";
import type { ResourceOf, ResourceOptions, ResourceVersion, Subresources } from "./resource-types.js";
import { standardStatus } from "./standard-status.js";
import type { SchemaDraft, StructuralSchema } from "../schema/structural-schema.js";
import { checkStructural } from "../schema/structural-check.js";
import { toStructural } from "./convert/to-structural.js";

/**
 * Defines a kind. The spec and status are written once, as zod schemas, and everything else follows from
 * them: static types, the schema the API server checks by, the CRD.
 *
 * @throws {DefinitionError} with all that is wrong, when a Kubernetes API server could not serve this kind.
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
    report("scope", `"${String(scope)}" is not a scope`, 'use "Namespaced" or "Cluster"');
  }
  const names = resourceNames(apiVersion, kind, options, report);
  const schema = objectSchema(options, problems, report);
  const columns = resolveColumns(options.columns ?? [], schema, report);
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
    ...perVersion,
    versions: [only],
  };
  return deepFreeze(defined);
}

/** The schema of the whole object. The API server describes apiVersion, kind and metadata itself. */
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
  // A spec in which everything may be left out may itself be left out, and is there to be read all the same.
  const isNeeded = (spec.required ?? []).length > 0 && spec.default === undefined;
  if (!isNeeded) spec.default ??= {};
  if (options.status)
    properties["status"] = statusSchema(convertPart("status", options.status, problems, report), report);

  const schema: SchemaDraft = { type: "object", properties };
  if (description !== undefined) schema.description = description;
  if (isNeeded) schema.required = ["spec"];
  if (validations.length > 0)
    schema["x-kubernetes-validations"] = validations.map((rule) => Object.assign({}, rule));

  // What was refused is left out of the schema, so that checking it as well would only add noise.
  if (problems.length === before) {
    for (const { path, message } of checkStructural(schema)) {
      report(
        asFieldPath(path),
        message,
        "Kubernetes would report the CRD with these words: change what .meta() or a rule says there",
      );
    }
  }
  if (problems.length === before) {
    for (const error of checkRules(schema, "")) {
      report(
        asFieldPath(error.field),
        fieldErrorBody(error),
        "Kubernetes would report the CRD with these words: change the rule, or give lists, maps and texts in it a .max()",
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
 * Adds what every controller reports, and lets every field be left out: a status is filled bit by bit, and a
 * controller that fails early has a condition to report and nothing else.
 */
function statusSchema(status: SchemaDraft, report: ReportProblem): SchemaDraft {
  if (status.type !== "object" || status.additionalProperties !== undefined) return status;
  if (status.oneOf ?? status.allOf) {
    report(
      "status",
      "the status as a whole cannot be a union: a controller fills it bit by bit",
      "put the union into a field of it",
    );
  }
  const { required: _required, ...rest } = status;
  return { ...rest, properties: { ...standardStatus, ...status.properties } };
}

/** A place in a schema as its author knows it: `properties[spec].properties[ports].items` is `spec.ports[]`. */
function asFieldPath(path: string): string {
  const names = path
    .replaceAll(/(?:^|\.)properties\[([^\]]*)\]/g, ".$1")
    .replaceAll(/\.items\b/g, "[]")
    .replaceAll(/\.additionalProperties\b/g, ".*");
  return names.replace(/^\./, "");
}
