import type { $ZodType } from "zod/v4/core";

import { checkRules } from "../cel/rules/check-rules.js";
import { fieldErrorBody } from "../object/field-errors.js";
import { deepFreeze } from "../object/freeze.js";
import { collector, type Refuse } from "./convert/problems.js";
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
  const refuse = collector(problems);
  const { scope = "Namespaced", description, scale, selectableFields = [] } = options;
  if (scope !== "Namespaced" && scope !== "Cluster") {
    refuse("scope", `"${String(scope)}" is not a scope`, 'use "Namespaced" or "Cluster"');
  }
  const names = resourceNames(apiVersion, kind, options, refuse);
  const schema = objectSchema(options, problems, refuse);
  const columns = resolveColumns(options.columns ?? [], schema, refuse);
  if (scale) checkScale(scale, schema, refuse);
  checkSelectableFields(selectableFields, schema, refuse);
  throwProblems(kind === "" ? "resource" : kind, problems);

  const subresources: Subresources = {
    status: options.status !== undefined,
    ...(scale && { scale: { ...scale } }),
  };
  const { group, version, ...called } = names;
  const perVersion = { schema, subresources, columns, selectableFields: [...selectableFields] };
  const only: ResourceVersion = { name: version, served: true, storage: true, ...perVersion };
  const made: ResourceOf<ApiVersion, Kind, Spec, Status> = {
    apiVersion,
    group,
    version,
    kind,
    ...called,
    scope,
    ...(description !== undefined && { description }),
    ...perVersion,
    versions: [only],
  };
  return deepFreeze(made);
}

/** The schema of the whole object. The API server describes apiVersion, kind and metadata itself. */
function objectSchema(
  options: ResourceOptions<$ZodType, $ZodType | undefined>,
  problems: DefinitionProblem[],
  refuse: Refuse,
): StructuralSchema {
  const { description, validations = [] } = options;
  const before = problems.length;
  const spec = part("spec", options.spec, problems, refuse);
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
    properties["status"] = statusSchema(part("status", options.status, problems, refuse), refuse);

  const schema: SchemaDraft = { type: "object", properties };
  if (description !== undefined) schema.description = description;
  if (isNeeded) schema.required = ["spec"];
  if (validations.length > 0)
    schema["x-kubernetes-validations"] = validations.map((rule) => Object.assign({}, rule));

  // What was refused is left out of the schema, so that checking it as well would only add noise.
  if (problems.length === before) {
    for (const { path, message } of checkStructural(schema)) {
      refuse(
        asFieldPath(path),
        message,
        "Kubernetes would refuse the CRD with these words: change what .meta() or a rule says there",
      );
    }
  }
  if (problems.length === before) {
    for (const error of checkRules(schema, "")) {
      refuse(
        asFieldPath(error.field),
        fieldErrorBody(error),
        "Kubernetes would refuse the CRD with these words: change the rule, or give lists, maps and texts in it a .max()",
      );
    }
  }
  return schema;
}

function part(
  name: "spec" | "status",
  source: $ZodType,
  problems: DefinitionProblem[],
  refuse: Refuse,
): SchemaDraft {
  const { schema, optional, problems: found } = toStructural(source, name);
  problems.push(...found);
  if (found.length > 0) return { ...schema };
  if (schema.type !== "object") {
    refuse(name, `the ${name} must be an object`, `write ${name}: z.object({ … })`);
  } else if (schema.nullable || (optional && schema.default === undefined)) {
    refuse(name, `the ${name} as a whole cannot be optional or nullable`, "make its fields optional");
  }
  return { ...schema };
}

/**
 * Adds what every controller reports, and lets every field be left out: a status is filled bit by bit, and a
 * controller that fails early has a condition to report and nothing else.
 */
function statusSchema(status: SchemaDraft, refuse: Refuse): SchemaDraft {
  if (status.type !== "object" || status.additionalProperties !== undefined) return status;
  if (status.oneOf ?? status.allOf) {
    refuse(
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
