import type { Json, JsonObject } from "../../../src/model/core.js";
import { isJsonObject } from "../../../src/model/object/json.js";
import type { Choices } from "../choices.js";
import { knownRules } from "../requests/definitions.js";
import type { Draft } from "../requests/draft.js";
import { literal } from "../requests/literal.js";
import { placesIn, put, read, setField, type Place } from "../requests/places.js";
import type { Break } from "./break.js";

const patterns = [
  "(a+)+$",
  "(a|a)*b",
  "(?=a)b",
  "[",
  "(?<n>a)\\k<n>",
  "\\p{Greek}",
  "a{1000000}",
  "((((((((((a?){30}){30}){30})))))))",
  "\\Qx\\E",
  "(?i)x",
  "^(([a-z])+.)+[A-Z]([a-z])+$",
  "x".repeat(5000),
  ".*".repeat(500),
  "\\u{110000}",
];

/** Parts of schemas that are rejected, or nearly. */
const schemas: readonly Json[] = [
  {},
  { type: "thing" },
  { type: "object", properties: null },
  { type: "object", properties: { a: { $ref: "#/definitions/a" } } },
  { type: "object", additionalProperties: false, properties: { a: { type: "string" } } },
  {
    type: "object",
    additionalProperties: { type: "object", additionalProperties: { type: "array", items: {} } },
  },
  { type: "array" },
  { type: "array", items: [{ type: "string" }] },
  { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "map" },
  {
    type: "array",
    items: { type: "object", properties: { k: { type: "string" } } },
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["k", "k", "nobody"],
  },
  { type: "string", format: "date-time", default: "soon" },
  { type: "string", enum: [], maxLength: -1 },
  { type: "string", enum: ["a", "a", null, 5] },
  { type: "integer", minimum: 5, maximum: 1, multipleOf: 0 },
  { type: "integer", minimum: literal("1e999") },
  { type: "number", multipleOf: literal("1e-320"), default: 1e308 },
  { type: "object", default: { a: { b: 1 } }, properties: { a: { type: "string" } } },
  { "x-kubernetes-int-or-string": true, anyOf: [{ type: "integer" }, { type: "string" }] },
  { "x-kubernetes-preserve-unknown-fields": true },
  { type: "object", "x-kubernetes-embedded-resource": true },
  { type: "string", nullable: true, not: { pattern: "^a" } },
  { oneOf: [{ required: ["a"] }, { required: ["b"] }, { type: "string" }], type: "object" },
  {
    allOf: Array.from({ length: 50 }, () => ({ properties: { a: { minLength: 1 } } })),
    type: "object",
    properties: { a: { type: "string" } },
  },
  { type: "object", minProperties: -1, maxProperties: literal("1e30") },
  literal(
    '{"type":"object","properties":{"__proto__":{"type":"string","default":"x"},"toString":{"type":"integer"}}}',
  ),
  literal('{"type":"object","properties":{"a":'.repeat(60) + '{"type":"string"}' + "}}".repeat(60)),
  literal('{"type":"array","items":'.repeat(400) + '{"type":"string"}' + "}".repeat(400)),
  literal(
    `{"type":"object","properties":{${Array.from({ length: 1500 }, (_, index) => `"p${index}":{"type":"string"}`).join(",")}}}`,
  ),
  ...patterns.map((pattern) => ({ type: "string", pattern })),
];

/** Rules that are expensive, deeply nested, or invalid. */
const rules: readonly string[] = [
  "",
  "(",
  "self",
  "oldSelf",
  "self == oldSelf",
  "self.all(a, self.all(b, self.all(c, true)))",
  "self.spec.l.all(a, self.spec.l.all(b, self.spec.l.all(c, a == b && b == c)))",
  "self.spec.n2.map(a, self.spec.n2.map(b, self.spec.n2)).size() > 0",
  `${"(".repeat(300)}true${")".repeat(300)}`,
  `${"!".repeat(2000)}true`,
  `${"-".repeat(999)}1 == 1`,
  Array(3000).fill("true").join(" && "),
  `[${Array(3000).fill("1").join(",")}].size() == 3000`,
  `${"[".repeat(260)}${"]".repeat(260)} == []`,
  "'a'.matches('(a+)+$')",
  "self.spec.t.matches('^(([a-z])+.)+[A-Z]([a-z])+$')",
  "self.spec.t.matches(self.spec.t)",
  "self.spec.t.replace('', 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx').size() > 0",
  "'x'.format([]) == '' && '%s'.format([self]) != ''",
  "'%999999999d'.format([1]) == ''",
  "self.spec.t.split('').size() < 5",
  "[1].map(a, [1].map(b, [1].map(c, a + b + c))) == []",
  "duration('99999999999h') > duration('1s')",
  "timestamp('9999-12-31T23:59:59Z') + duration('1h') > timestamp('0001-01-01T00:00:00Z')",
  "int('9223372036854775808') > 0",
  "9223372036854775807 + 1 > 0",
  "1 / 0 == 1",
  "double('NaN') == double('NaN')",
  "b'\\xff' == bytes('x')",
  "string(b'\\xff') == ''",
  "url('http://[::1').getHost() == ''",
  "quantity('1e999999999').isGreaterThan(quantity('1'))",
  "ip('::ffff:1.2.3.4') == ip('1.2.3.4')",
  "cidr('0.0.0.0/0').containsIP('::')",
  "format.dns1123Label().value().validate('A').hasValue()",
  "has(self.spec.__proto__) || has(self.spec.constructor)",
  "self.spec['__proto__'] == 1",
  "self.metadata.labels.all(k, true)",
  "optional.of(self).orValue(self) == self",
  "{'a': {'a': {'a': self}}}.a.a.a == self",
  "\u0000",
  "'\\ud800' == ''",
  "r'\\' == ''",
  "'''\n''' == \"\"\"\n\"\"\"",
  "1u == 1 && 0xffffffffffffffff == 5u",
  "x".repeat(20_000),
];

const jsonPaths = [
  ".spec",
  ".",
  "",
  ".spec[",
  ".spec[?(@.a==1)].b",
  ".spec..a",
  ".spec['a']",
  ".spec.a[0:5:2]",
  ".metadata.labels.a\\.b",
  "{.spec}",
  ".spec[*]",
  ".__proto__.x",
  ".a".repeat(3000),
  ".spec[?(@.a=~/x/)]",
  ".spec[-1]",
  ".spec[99999999999999]",
  "$.spec",
];

const others: readonly JsonObject[] = [
  { scope: "Galaxy" },
  { group: "", names: {} },
  { group: "k8s.io" },
  { group: "fuzz.dev.".repeat(50) },
  { names: { plural: "pods", kind: "Pod" } },
  { names: { plural: "a/b", kind: "a b", shortNames: ["x", "x", ""], categories: ["all", null] } },
  { names: { plural: "alphas", kind: "Alpha", singular: "status", listKind: "Alpha" } },
  { versions: [] },
  {
    versions: [
      { name: "v1", served: true, storage: true },
      { name: "v1", served: true, storage: true },
    ],
  },
  {
    versions: [{ name: "V 1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
  },
  { versions: null },
  {
    conversion: {
      strategy: "Webhook",
      webhook: { clientConfig: { url: "http://x" }, conversionReviewVersions: ["v1"] },
    },
  },
  { conversion: { strategy: "Never" } },
  { preserveUnknownFields: true },
];

const isSchema = (value: Json | undefined): boolean =>
  isJsonObject(value) && typeof value["type"] === "string";

function schemaPlaces(draft: Draft): Place[] {
  return placesIn(draft.value ?? {}).filter((place) => isSchema(read(place)));
}

function spoilDefinition(draft: Draft, choices: Choices): void {
  const places = schemaPlaces(draft);
  const place = places.length === 0 ? undefined : choices.pick(places);
  const schema = place && (read(place) as JsonObject);
  const version = placesIn(draft.value ?? {}).find(({ pointer }) => pointer.endsWith("/versions/0"));
  choices.weighted<() => void>([
    [6, () => place && put(place, structuredClone(choices.pick(schemas)))],
    [3, () => schema && Object.assign(schema, structuredClone(choices.pick(schemas)))],
    [8, () => schema && setField(schema, "x-kubernetes-validations", someRules(choices))],
    [
      2,
      () =>
        schema && setField(schema, "default", choices.pick<Json>([null, {}, "x", 5, { a: { b: [] } }, []])),
    ],
    [3, () => version && Object.assign(read(version) as JsonObject, columns(choices))],
    [
      3,
      () =>
        isJsonObject(draft.value) &&
        isJsonObject(draft.value["spec"]) &&
        Object.assign(draft.value["spec"], structuredClone(choices.pick(others))),
    ],
  ])();
}

function someRules(choices: Choices): Json {
  return Array.from({ length: 1 + choices.below(3) }, () => ({
    rule: choices.weighted([
      [3, choices.pick(rules)],
      [2, cut(choices.pick(knownRules), choices)],
      [1, choices.pick(knownRules)],
    ]),
    ...(choices.once(3) && { messageExpression: choices.pick([...rules, ...knownRules]) }),
    ...(choices.once(6) && { fieldPath: choices.pick(jsonPaths) }),
    ...(choices.once(8) && { reason: "FieldValueNobody" }),
    ...(choices.once(8) && { optionalOldSelf: true }),
  }));
}

/** Joins two rules at random positions. */
function cut(rule: string, choices: Choices): string {
  const other = choices.pick(knownRules);
  return rule.slice(0, choices.below(rule.length + 1)) + other.slice(choices.below(other.length));
}

function columns(choices: Choices): JsonObject {
  const path = (): string => choices.pick(jsonPaths);
  return choices.pick<JsonObject>([
    {
      additionalPrinterColumns: [
        { name: "X", type: choices.pick(["string", "date", "integer", "thing"]), jsonPath: path() },
      ],
    },
    { additionalPrinterColumns: null },
    { selectableFields: [{ jsonPath: path() }, { jsonPath: path() }] },
    {
      subresources: {
        scale: { specReplicasPath: path(), statusReplicasPath: path(), labelSelectorPath: path() },
      },
    },
    { subresources: { status: null, scale: {} } },
    { deprecated: true, deprecationWarning: "x".repeat(300) },
  ]);
}

/** Definitions with invalid schemas, rules and columns. */
export const definitionBreaks: readonly Break[] = [
  {
    name: "definition",
    weight: 25,
    applies: ({ resource, value }) => resource?.plural === "customresourcedefinitions" && isJsonObject(value),
    spoil: spoilDefinition,
  },
];
