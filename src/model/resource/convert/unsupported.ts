import type { $ZodTypeDef } from "zod/v4/core";

interface Unsupported {
  readonly message: string;
  readonly fix: string;
}

const inReconcile = "convert it in reconcile";
const noJson = (what: string, instead: string): Unsupported => ({
  message: `${what} cannot be stored as JSON`,
  fix: instead,
});
const noSchema = (what: string, instead: string): Unsupported => ({
  message: `${what} is not supported in a Kubernetes schema`,
  fix: instead,
});

/** Zod schemas that are never supported. Those supported in part are checked where they are converted. */
export const unsupportedTypes: { readonly [Type in $ZodTypeDef["type"]]?: Unsupported } = {
  date: noJson("z.date()", "use z.iso.datetime() and parse it in reconcile"),
  bigint: noJson("z.bigint()", `use z.int(), or z.string().regex(/^[0-9]+$/) and ${inReconcile}`),
  map: noJson("z.map()", "use z.record(z.string(), …)"),
  set: noJson("z.set()", "use listSet(z.array(…)): a list whose items are unique"),
  symbol: noJson("z.symbol()", "use z.literal() or z.enum() with strings"),
  undefined: noJson("z.undefined()", "use .optional() on the schema of the field"),
  void: noJson("z.void()", "leave the field out"),
  nan: noJson("z.nan()", "use z.number().optional() and leave the field out when there is no number"),
  function: noJson("z.function()", "put the function into reconcile"),
  promise: noJson("z.promise()", "write the schema of what it resolves to"),
  file: noJson("z.file()", "use z.base64(), or store the file elsewhere and keep its z.url()"),
  never: noSchema("z.never()", "leave the field out: unknown fields are pruned"),
  null: noSchema(
    "z.null() on its own",
    "use .nullable() on the schema of the other values, or leave the field out",
  ),
  tuple: noSchema(
    "z.tuple()",
    "use z.object() with a named field per position, or z.array() if all items have one type",
  ),
  custom: noSchema(
    "z.custom()",
    "use a schema zod can describe, and rule(schema, cel, message) for what it cannot",
  ),
  catch: noSchema(".catch()", "use .default(): invalid values are rejected on write"),
  success: noSchema("z.success()", "use z.boolean()"),
  transform: noSchema(
    "z.transform()",
    `values are read as they are stored: declare the stored value and ${inReconcile}`,
  ),
  pipe: noSchema(
    "a pipe (.transform(), .pipe(), z.codec(), z.preprocess(), z.stringbool())",
    `values are read as they are stored: declare the stored value and ${inReconcile}`,
  ),
};

export const unsupported = {
  recursion: {
    message: "the schema is recursive, which a Kubernetes schema does not support",
    fix: "unroll it to the depth you need, or use z.json() for that part",
  },
  coerce: {
    message: "z.coerce converts the value, which a Kubernetes schema cannot",
    fix: `use the plain schema (z.number() instead of z.coerce.number()) and ${inReconcile}`,
  },
  refine: {
    message: ".refine() and other checks in JavaScript cannot run in the API server",
    fix: 'use a CEL rule: rule(schema, "self.size() > 2", "message")',
  },
  overwrite: {
    message:
      "a check that changes the value (.trim(), .toLowerCase(), .overwrite()) is not supported in a Kubernetes schema",
    fix: "use .regex() to require the resulting form, or change the value in reconcile",
  },
  properties: {
    message: "a check on a property is not supported in a Kubernetes schema",
    fix: "put the check on the property's own schema",
  },
  optionalItem: {
    message: "an item of a list or map cannot be optional or have a default",
    fix: "remove .optional() or .default(), and omit the item instead",
  },
} as const satisfies Record<string, Unsupported>;
