import type {
  $ZodCheck,
  $ZodCheckDef,
  $ZodChecks,
  $ZodDiscriminatedUnionDef,
  $ZodType,
  $ZodTypes,
  $ZodUnionDef,
} from "zod/v4/core";

/** How any schema of zod is defined; `type` tells them apart. */
export type SchemaDef = $ZodTypes["_zod"]["def"];

/** How a check that zod brings along is defined; `check` tells them apart. */
export type CheckDef = $ZodChecks["_zod"]["def"];

/** zod's base types do not list the schemas and checks there are, so these guards are the bridge to its lists. */
function isListed(schema: $ZodType): schema is $ZodTypes {
  return typeof schema._zod.def.type === "string";
}

/** Whether this is a schema of zod 4, and not of another library or an older zod. */
export function isZodSchema(value: unknown): value is $ZodType {
  return typeof value === "object" && value !== null && "_zod" in value;
}

/** The definition of a schema. */
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

/** Whether it is one of zod's own checks, and not a function of the user's. */
export function isOwnCheck(def: $ZodCheckDef): def is CheckDef {
  return ownChecks.has(def.check);
}

function isCheck(schema: $ZodType): schema is $ZodType & $ZodCheck {
  return schema._zod.traits.has("$ZodCheck");
}

/** The checks on a schema, among them the schema itself: z.email() is its own first check. */
export function checksOf(schema: $ZodType): $ZodCheckDef[] {
  const checks = (schema._zod.def.checks ?? []).map((check) => check._zod.def);
  if (isCheck(schema)) checks.unshift(schema._zod.def);
  return checks;
}

/** Whether a union names the field that tells its options apart. */
export function isDiscriminated(def: $ZodUnionDef): def is $ZodDiscriminatedUnionDef {
  return "discriminator" in def;
}
