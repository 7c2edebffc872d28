import type { Json } from "../object/json.js";

/** CEL rule and the error if it does not hold. */
export interface ValidationRule {
  /** Expression over `self` (and `oldSelf`) that is true for valid values. */
  readonly rule: string;
  readonly message?: string;
  /** CEL expression for the message. */
  readonly messageExpression?: string;
  readonly reason?:
    | "FieldValueInvalid"
    | "FieldValueForbidden"
    | "FieldValueRequired"
    | "FieldValueDuplicate";
  /** Field that the error refers to, relative to the rule. */
  readonly fieldPath?: string;
  readonly optionalOldSelf?: boolean;
}

/** JSON type in a structural schema. */
export type SchemaType = "object" | "array" | "string" | "integer" | "number" | "boolean";

/**
 * Subset of OpenAPI 3.0 that Kubernetes allows in a CRD. Structural means: every node outside of `allOf`,
 * `anyOf`, `oneOf` and `not` has a type, and inside of those there are value validations only, so that
 * defaulting and pruning need not try branches.
 */
export interface StructuralSchema {
  readonly type?: SchemaType;
  readonly title?: string;
  readonly description?: string;
  readonly default?: Json;
  readonly example?: Json;
  readonly nullable?: boolean;
  readonly format?: string;
  readonly enum?: readonly Json[];
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly maximum?: number;
  readonly exclusiveMaximum?: boolean;
  readonly multipleOf?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, StructuralSchema>>;
  readonly additionalProperties?: StructuralSchema | boolean;
  readonly items?: StructuralSchema;
  readonly allOf?: readonly StructuralSchema[];
  readonly anyOf?: readonly StructuralSchema[];
  readonly oneOf?: readonly StructuralSchema[];
  readonly not?: StructuralSchema;
  readonly "x-kubernetes-preserve-unknown-fields"?: boolean;
  readonly "x-kubernetes-embedded-resource"?: boolean;
  readonly "x-kubernetes-int-or-string"?: boolean;
  readonly "x-kubernetes-list-type"?: "atomic" | "set" | "map";
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
  readonly "x-kubernetes-map-type"?: "atomic" | "granular";
  readonly "x-kubernetes-validations"?: readonly ValidationRule[];
}

/** Schema under construction. */
export type SchemaDraft = { -readonly [Key in keyof StructuralSchema]: StructuralSchema[Key] };
