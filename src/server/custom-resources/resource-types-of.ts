import { failures, isConditionTrue, type KubeObject, type StructuralSchema } from "../../model/core.js";
import { nameIsDns1123Subdomain } from "../../model/object/names.js";
import { compileSchema } from "../../model/structural/compile-schema.js";
import { objectProperties } from "../kinds/schema/build-schema.js";
import { jsonPathText, readFields } from "../resources/json-path.js";
import type {
  Capabilities,
  ResourceType,
  ScalePaths,
  KindStrategy,
  Subresources,
  TableColumn,
  Verb,
} from "../resources/resource-type.js";
import { type Definition, type DefinitionVersion, versionSchema, storageVersionOf } from "./definition.js";
import { columnsOf } from "./serving/columns.js";
import { conversionBetween, sameStructure } from "./serving/conversion.js";
import { validateScaled, validateScaledStatus } from "./serving/scale-rules.js";

export interface ServingOptions {
  /** Objects written at or before this revision may not match the schemas. */
  readonly schemaRevision: number;
}

const allVerbs: readonly Verb[] = [
  "delete",
  "deletecollection",
  "get",
  "list",
  "patch",
  "create",
  "update",
  "watch",
];
/** Verbs of a terminating kind. Updates stay possible, so that finalizers can be removed. */
const lastVerbs: readonly Verb[] = allVerbs.filter((verb) => verb !== "create");

/**
 * Resource types of an established definition, one for each served version; none before it is established. They share
 * their schemas with the definition, and derive everything else on first use, since most kinds are rarely used.
 */
export function resourceTypesOf(definition: Definition, { schemaRevision }: ServingOptions): ResourceType[] {
  const { spec, status } = definition;
  const names = status?.acceptedNames;
  const stored = storageVersionOf(definition);
  if (!names || !stored || !isConditionTrue(status.conditions, "Established")) return [];
  const { group, versions, scope } = spec;
  const { kind, plural, singular = kind.toLowerCase(), listKind = `${kind}List` } = names;
  const { shortNames = [], categories = [] } = names;
  const terminating = isConditionTrue(status.conditions, "Terminating");
  const storage = {
    prefix: `/${group}/${plural}/`,
    apiVersion: `${group}/${stored.name}`,
    kind,
    schemaRevision,
  };
  const storedSchema = versionSchema(stored) ?? {};
  const storedRules = compileSchema(storedSchema);

  return versions
    .filter(({ served }) => served)
    .map((version): ResourceType => {
      const schema = versionSchema(version) ?? {};
      const rules = version === stored ? storedRules : compileSchema(schema);
      const side = { apiVersion: `${group}/${version.name}`, rules };
      const conversion = sameStructure(storedSchema, schema)
        ? undefined
        : conversionBetween({ apiVersion: storage.apiVersion, rules: storedRules }, side);
      let columns: readonly TableColumn[] | undefined;
      let published: StructuralSchema | undefined;
      return {
        group,
        version: version.name,
        kind,
        listKind,
        plural,
        singular,
        shortNames,
        categories,
        namespaced: scope === "Namespaced",
        verbs: terminating ? lastVerbs : allVerbs,
        capabilities,
        deprecation: version.deprecated
          ? (version.deprecationWarning ?? `${group}/${version.name} ${kind} is deprecated`)
          : undefined,
        storage: { ...storage, conversion },
        get schema() {
          published ??= withObjectProperties(schema);
          return published;
        },
        rules,
        subresources: subresourcesOf(version),
        get columns() {
          columns ??= columnsOf(version.additionalPrinterColumns);
          return columns;
        },
        selectableFields: selectableFieldsOf(version),
        strategy: {
          ...strategyOf(version),
          ...(terminating && {
            forbidCreate: () => failures.forbidden({ group, resource: plural }, "", tooLate),
          }),
        },
      };
    });
}

const capabilities: Capabilities = {
  protobuf: false,
  strategicMerge: false,
  decoding: "unstructured",
  unqualifiedFinalizers: "warn",
  routes: "dynamic",
  fieldSelectors: "declared",
  openapi: "structural",
  groupPriority: 0,
};

const tooLate = "create not allowed while custom resource definition is terminating";

/** The definition's schema with the standard apiVersion, kind and metadata. */
function withObjectProperties(schema: StructuralSchema): StructuralSchema {
  return { ...schema, properties: { ...schema.properties, ...objectProperties() } };
}

function subresourcesOf({ subresources }: DefinitionVersion): Subresources {
  const { status, scale } = subresources ?? {};
  return { ...(status && { status: true }), ...(scale && { scale }) };
}

function selectableFieldsOf({ selectableFields = [] }: DefinitionVersion): ResourceType["selectableFields"] {
  return new Map(
    selectableFields.map(({ jsonPath }) => {
      const name = jsonPath.replace(/^\./, "");
      const fields = name.split(".");
      const read = (object: KubeObject): string => {
        const value = readFields(object, fields) ?? null;
        return value === null ? "" : jsonPathText(value);
      };
      return [name, read];
    }),
  );
}

function strategyOf(version: DefinitionVersion): KindStrategy {
  const { status, scale } = version.subresources ?? {};
  return {
    validateName: nameIsDns1123Subdomain,
    generation: true,
    allowUnconditionalUpdate: false,
    allowCreateOnUpdate: false,
    prepareCreate: status && ((object) => delete object["status"]),
    ...(scale && scaleRules(scale)),
  };
}

function scaleRules(scale: ScalePaths): Pick<KindStrategy, "validate" | "validateUpdate"> {
  return {
    validate: (object) => validateScaled(object, scale),
    validateUpdate: (object, _, subresource) =>
      subresource === "status" ? validateScaledStatus(object, scale) : validateScaled(object, scale),
  };
}
