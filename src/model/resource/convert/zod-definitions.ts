import type {
  $ZodCheck,
  $ZodCheckDef,
  $ZodChecks,
  $ZodDiscriminatedUnionDef,
  $ZodType,
  $ZodTypes,
  $ZodUnionDef,
} from "zod/v4/core";

/** Definition of a zod schema; `type` discriminates. */
export type SchemaDef = $ZodTypes["_zod"]["def"];

/** Definition of a built-in check of zod; `check` discriminates. */
export type CheckDef = $ZodChecks["_zod"]["def"];

/** Narrows zod's base type to the union of its schemas. */
function isListed(schema: $ZodType): schema is $ZodTypes {
  return typeof schema._zod.def.type === "string";
}

/** True for a zod 4 schema, as opposed to one of another library or an older zod. */
export function isZodSchema(value: unknown): value is $ZodType {
  return typeof value === "object" && value !== null && "_zod" in value;
}

/** Definition of a schema. */
export function defOf(schema: $ZodType): SchemaDef {
  if (!isListed(schema)) throw new TypeError("not a schema of zod 4");
  return schema._zod.def;
}

const ownChecks: ReadonlySet<string> = new Set<CheckDef["check"]>([
  "less_than",
  "greater_than",
  "multiple_of",
  "number_format",
  "max_length",
  "min_length",
  "length_equals",
  "string_format",
  "property",
  "overwrite",
]);

/** True for a built-in check, as opposed to a function of the user. */
export function isOwnCheck(def: $ZodCheckDef): def is CheckDef {
  return ownChecks.has(def.check);
}

function isCheck(schema: $ZodType): schema is $ZodType & $ZodCheck {
  return schema._zod.traits.has("$ZodCheck");
}

/** Checks of a schema, including the schema itself: z.email() is its own first check. */
export function checksOf(schema: $ZodType): $ZodCheckDef[] {
  const checks = (schema._zod.def.checks ?? []).map((check) => check._zod.def);
  if (isCheck(schema)) checks.unshift(schema._zod.def);
  return checks;
}

/** True if a union has a discriminator. */
export function isDiscriminated(def: $ZodUnionDef): def is $ZodDiscriminatedUnionDef {
  return "discriminator" in def;
}
