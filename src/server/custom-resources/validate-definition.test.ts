import { describe, expect, test } from "vitest";
import { fieldErrors } from "../../model/core.js";
import type { Draft } from "../resources/resource-type.js";
import { prepareDefinitionCreate, prepareDefinitionUpdate } from "./defaults.js";
import { validateDefinition } from "./validate-definition.js";

// oxlint-disable-next-line typescript/no-explicit-any -- tests bend definitions in every way
type Loose = any;

const text = { type: "string" };

function widgets(change: (crd: Loose) => void = () => {}): Draft {
  const crd = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "widgets.demo.dev" },
    spec: {
      group: "demo.dev",
      names: { plural: "widgets", kind: "Widget" },
      scope: "Namespaced",
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: "object",
              properties: {
                spec: { type: "object", properties: { size: { type: "integer" }, color: text } },
              },
            },
          },
        },
      ],
    },
  };
  const copy = structuredClone(crd);
  change(copy);
  return copy;
}

/** A definition with one version that is changed. */
function version(change: (version: Loose, schema: Loose) => void): Draft {
  return widgets(({ spec }) => change(spec.versions[0], spec.versions[0].schema.openAPIV3Schema));
}

function created(crd: Draft): string[] {
  prepareDefinitionCreate(crd);
  return validateDefinition(crd).map(fieldErrors.renderFieldError);
}

function established(crd = widgets()): Loose {
  prepareDefinitionCreate(crd);
  crd["status"].conditions = [
    { type: "NamesAccepted", status: "True", reason: "NoConflicts", message: "", lastTransitionTime: "" },
    {
      type: "Established",
      status: "True",
      reason: "InitialNamesAccepted",
      message: "",
      lastTransitionTime: "",
    },
  ];
  return crd;
}

function updated(old: Loose, change: (crd: Loose) => void): string[] {
  const crd = structuredClone(old);
  change(crd);
  prepareDefinitionUpdate(crd, old);
  return validateDefinition(crd, old).map(fieldErrors.renderFieldError);
}

const dns1035 =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
const inSchema = "spec.versions[0].schema.openAPIV3Schema";
const approval = 'protected groups must have approval annotation "api-approved.kubernetes.io"';

describe("a new definition", () => {
  test.each<[string, Draft]>([
    ["the simplest", widgets()],
    ["one of the cluster", widgets(({ spec }) => (spec.scope = "Cluster"))],
    [
      "one with all names",
      widgets(({ spec }) =>
        Object.assign(spec.names, {
          singular: "widget",
          listKind: "Widgets",
          shortNames: ["wg"],
          categories: ["all"],
        }),
      ),
    ],
    [
      "one that is approved",
      widgets((crd) => {
        crd.metadata = {
          name: "widgets.x.k8s.io",
          annotations: { "api-approved.kubernetes.io": "https://github.com/a/b/pull/1" },
        };
        crd.spec.group = "x.k8s.io";
      }),
    ],
    [
      "one that says it is not approved",
      widgets((crd) => {
        crd.metadata = {
          name: "widgets.x.kubernetes.io",
          annotations: { "api-approved.kubernetes.io": "unapproved, a test" },
        };
        crd.spec.group = "x.kubernetes.io";
      }),
    ],
    [
      "one with nulls",
      version((v) =>
        Object.assign(v, { subresources: null, additionalPrinterColumns: null, deprecationWarning: null }),
      ),
    ],
    [
      "a schema with nulls",
      version((_, schema) =>
        Object.assign(schema, { items: null, required: null, "x-kubernetes-validations": null, anyOf: null }),
      ),
    ],
    [
      "all subresources",
      version(
        (v) =>
          (v.subresources = {
            status: {},
            scale: {
              specReplicasPath: ".spec.size",
              statusReplicasPath: ".status.size",
              labelSelectorPath: ".status.selector",
            },
          }),
      ),
    ],
    [
      "columns",
      version(
        (v) =>
          (v.additionalPrinterColumns = [
            { name: "Size", type: "integer", format: "int32", jsonPath: ".spec.size" },
            {
              name: "Ready",
              type: "string",
              jsonPath: '.status.conditions[?(@.type=="Ready")].status',
              priority: 1,
            },
            { name: "Odd", type: "string", jsonPath: ".spec[" },
          ]),
      ),
    ],
    [
      "selectable fields",
      version((v) => (v.selectableFields = [{ jsonPath: ".spec.size" }, { jsonPath: ".spec.color" }])),
    ],
    [
      "a deprecated version",
      version((v) => Object.assign(v, { deprecated: true, deprecationWarning: "use v2 – soon" })),
    ],
    [
      "rules",
      version(
        (_, schema) =>
          (schema.properties.spec["x-kubernetes-validations"] = [
            { rule: "self.size > 1", fieldPath: ".size" },
          ]),
      ),
    ],
    ["a pattern", version((_, schema) => (schema.properties.spec.properties.color.pattern = "^(?i)[a-z]+$"))],
  ])("%s is accepted", (_name, crd) => {
    expect(created(crd)).toEqual([]);
  });

  test.each<[Draft, string[]]>([
    [
      widgets((crd) => (crd.metadata.name = "x.demo.dev")),
      ['metadata.name: Invalid value: "x.demo.dev": must be spec.names.plural+"."+spec.group'],
    ],
    [
      widgets((crd) =>
        Object.assign(crd, { metadata: { name: "widgets." }, spec: { ...crd.spec, group: "" } }),
      ),
      ["spec.group: Required value"],
    ],
    [
      widgets((crd) =>
        Object.assign(crd, { metadata: { name: "widgets.demo" }, spec: { ...crd.spec, group: "demo" } }),
      ),
      ['spec.group: Invalid value: "demo": should be a domain with at least one dot'],
    ],
    [widgets(({ spec }) => delete spec.scope), ["spec.scope: Required value"]],
    [
      widgets(({ spec }) => (spec.scope = "Global")),
      ['spec.scope: Unsupported value: "Global": supported values: "Cluster", "Namespaced"'],
    ],
    [
      widgets(({ spec }) => (spec.versions = [])),
      [
        "spec.versions: Invalid value: []: must have exactly one version marked as storage version",
        "status.storedVersions: Invalid value: []: must have at least one stored version",
      ],
    ],
    [
      widgets(({ spec }) => spec.versions.push(spec.versions[0])),
      [
        'spec.versions: Invalid value: ["v1","v1"]: must contain unique version names',
        'spec.versions: Invalid value: ["v1","v1"]: must have exactly one version marked as storage version',
      ],
    ],
    [
      version((v) => (v.storage = false)),
      [
        'spec.versions: Invalid value: ["v1"]: must have exactly one version marked as storage version',
        "status.storedVersions: Invalid value: []: must have at least one stored version",
      ],
    ],
    [version((v) => (v.name = "1")), [`spec.versions[0].name: Invalid value: "1": ${dns1035}`]],
    [version((v) => delete v.schema), [`${inSchema}: Required value`]],
    [version((v) => (v.schema = {})), [`${inSchema}: Required value`]],
    [
      widgets(({ spec }) => delete spec.names.kind),
      [
        "spec.names.singular: Required value",
        "spec.names.kind: Required value",
        "spec.names.listKind: Required value",
      ],
    ],
    [
      widgets(({ spec }) => (spec.names.listKind = "Widget")),
      ['spec.names.listKind: Invalid value: "Widget": kind and listKind may not be the same'],
    ],
    [
      widgets(({ spec }) => (spec.names.kind = "Wid_get")),
      [
        `spec.names.singular: Invalid value: "wid_get": ${dns1035}`,
        `spec.names.kind: Invalid value: "Wid_get": may have mixed case, but should otherwise match: ${dns1035}`,
        `spec.names.listKind: Invalid value: "Wid_getList": may have mixed case, but should otherwise match: ${dns1035}`,
      ],
    ],
    [
      widgets(({ spec }) => Object.assign(spec.names, { shortNames: ["W"], categories: ["A"] })),
      [
        `spec.names.shortNames[0]: Invalid value: "W": ${dns1035}`,
        `spec.names.categories[0]: Invalid value: "A": ${dns1035}`,
      ],
    ],
    [
      widgets(({ spec }) => (spec.preserveUnknownFields = true)),
      [
        "spec.preserveUnknownFields: Invalid value: true: cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead",
      ],
    ],
    [
      widgets(
        ({ spec }) =>
          (spec.conversion = {
            strategy: "Webhook",
            webhook: { clientConfig: {}, conversionReviewVersions: ["v1"] },
          }),
      ),
      [
        "spec.conversion.strategy: Forbidden: this server does not call conversion webhooks, though a Kubernetes API server would accept this; use None, which changes nothing but the apiVersion",
      ],
    ],
    [widgets(({ spec }) => (spec.conversion = {})), ["spec.conversion.strategy: Required value"]],
    [
      widgets(({ spec }) => (spec.conversion = { strategy: "Magic" })),
      ['spec.conversion.strategy: Unsupported value: "Magic": supported values: "None", "Webhook"'],
    ],
    [
      widgets(
        ({ spec }) =>
          (spec.conversion = {
            strategy: "None",
            webhook: { clientConfig: {}, conversionReviewVersions: ["v1"] },
          }),
      ),
      [
        "spec.conversion.webhookClientConfig: Forbidden: should not be set when strategy is not set to Webhook",
        "spec.conversion.conversionReviewVersions: Forbidden: should not be set when strategy is not set to Webhook",
      ],
    ],
    [
      widgets((crd) => {
        crd.metadata.name = "widgets.x.k8s.io";
        crd.spec.group = "x.k8s.io";
      }),
      [
        `metadata.annotations[api-approved.kubernetes.io]: Required value: ${approval}, see https://github.com/kubernetes/enhancements/pull/1111`,
      ],
    ],
    [
      widgets((crd) => {
        crd.metadata = { name: "widgets.x.k8s.io", annotations: { "api-approved.kubernetes.io": "me" } };
        crd.spec.group = "x.k8s.io";
      }),
      [
        `metadata.annotations[api-approved.kubernetes.io]: Invalid value: "me": ${approval} with either a URL or a reason starting with "unapproved", see https://github.com/kubernetes/enhancements/pull/1111`,
      ],
    ],
    [
      version((v) => (v.deprecationWarning = "x")),
      ['spec.versions[0].deprecationWarning: Invalid value: "x": can only be set for deprecated versions'],
    ],
    [
      version((v) => Object.assign(v, { deprecated: true, deprecationWarning: "" })),
      ['spec.versions[0].deprecationWarning: Invalid value: "": must not be an empty string'],
    ],
    [
      version((v) => Object.assign(v, { deprecated: true, deprecationWarning: "é\n" })),
      [
        'spec.versions[0].deprecationWarning: Invalid value: "é\\n": must only contain printable UTF-8 characters; non-printable character found at index 2',
      ],
    ],
    [
      version((v) => Object.assign(v, { deprecated: true, deprecationWarning: "é".repeat(129) })),
      [
        `spec.versions[0].deprecationWarning: Invalid value: "${"é".repeat(129)}": must be <= 256 characters long`,
      ],
    ],
    [
      version((v) => (v.subresources = { scale: {} })),
      [
        "spec.versions[0].subresources.scale.specReplicasPath: Required value",
        "spec.versions[0].subresources.scale.statusReplicasPath: Required value",
      ],
    ],
    [
      version(
        (v) =>
          (v.subresources = {
            scale: { specReplicasPath: "spec.a", statusReplicasPath: ".spec.a", labelSelectorPath: ".a" },
          }),
      ),
      [
        'spec.versions[0].subresources.scale.specReplicasPath: Invalid value: "spec.a": must be a simple json path starting with .',
        'spec.versions[0].subresources.scale.statusReplicasPath: Invalid value: ".spec.a": should be a json path under .status',
        'spec.versions[0].subresources.scale.labelSelectorPath: Invalid value: ".a": should be a json path under either .spec or .status',
      ],
    ],
    [
      version(
        (v) =>
          (v.subresources = {
            scale: { specReplicasPath: ".spec.a[0]", statusReplicasPath: ".status.[", labelSelectorPath: "" },
          }),
      ),
      [
        'spec.versions[0].subresources.scale.specReplicasPath: Invalid value: ".spec.a[0]": should name fields only, as in .spec.replicas',
        'spec.versions[0].subresources.scale.statusReplicasPath: Invalid value: ".status.[": should name fields only, as in .spec.replicas',
      ],
    ],
    [
      version((v) => (v.additionalPrinterColumns = [{}])),
      [
        "spec.versions[0].additionalPrinterColumns[0].name: Required value",
        "spec.versions[0].additionalPrinterColumns[0].type: Required value: must be one of boolean,date,integer,number,string",
        "spec.versions[0].additionalPrinterColumns[0].JSONPath: Required value",
      ],
    ],
    [
      version(
        (v) => (v.additionalPrinterColumns = [{ name: "A", type: "text", format: "x", jsonPath: "a" }]),
      ),
      [
        'spec.versions[0].additionalPrinterColumns[0].type: Invalid value: "text": must be one of boolean,date,integer,number,string',
        'spec.versions[0].additionalPrinterColumns[0].format: Invalid value: "x": must be one of byte,date,date-time,double,float,int32,int64,password',
        'spec.versions[0].additionalPrinterColumns[0].JSONPath: Invalid value: "a": must be a simple json path starting with .',
      ],
    ],
    [
      version(
        (v) =>
          (v.selectableFields = [
            {},
            { jsonPath: ".spec.none" },
            { jsonPath: ".spec" },
            { jsonPath: "spec" },
            { jsonPath: ".spec[0]" },
            { jsonPath: ".spec." },
            { jsonPath: ".spec.size" },
            { jsonPath: ".spec.size" },
          ]),
      ),
      [
        "spec.versions[0].selectableFields[0].jsonPath: Required value",
        'spec.versions[0].selectableFields[1].jsonPath: Invalid value: ".spec.none": is an invalid path: does not refer to a valid field',
        'spec.versions[0].selectableFields[2].jsonPath: Invalid value: ".spec": must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.',
        'spec.versions[0].selectableFields[3].jsonPath: Invalid value: "spec": is an invalid path: expected [ or . but got: spec',
        'spec.versions[0].selectableFields[4].jsonPath: Invalid value: ".spec[0]": is an invalid path: array notation is not allowed',
        'spec.versions[0].selectableFields[5].jsonPath: Invalid value: ".spec.": is an invalid path: unexpected end of JSON path',
        'spec.versions[0].selectableFields[7].jsonPath: Duplicate value: ".spec.size"',
      ],
    ],
    [
      version((v, schema) => {
        schema.properties.metadata = { type: "object", properties: { name: text } };
        v.selectableFields = [{ jsonPath: ".metadata.name" }];
      }),
      [
        'spec.versions[0].selectableFields[0].jsonPath: Invalid value: ".metadata.name": must not point to fields in metadata',
      ],
    ],
    [
      version((v, schema) => {
        const names = "abcdefghi".split("");
        schema.properties.spec.properties = Object.fromEntries(names.map((name) => [name, text]));
        v.selectableFields = names.map((name) => ({ jsonPath: `.spec.${name}` }));
      }),
      ["spec.versions[0].selectableFields: Too many: 9: must have at most 8 items"],
    ],
    [
      version((_, schema) => delete schema.type),
      [`${inSchema}.type: Required value: must not be empty at the root`],
    ],
    [
      version((_, schema) => (schema.properties.spec.properties.size = {})),
      [
        `${inSchema}.properties[spec].properties[size].type: Required value: must not be empty for specified object fields`,
      ],
    ],
    [
      version((_, schema) => (schema.properties.spec.items = [])),
      [
        `${inSchema}.properties[spec].items.type: Required value: must not be empty for specified array items`,
        `${inSchema}.properties[spec].items: Forbidden: items must be a schema object and not an array`,
      ],
    ],
    [
      version((_, schema) => (schema.properties.kind = { type: "integer" })),
      [`${inSchema}.properties[kind].type: Invalid value: "integer": must be string`],
    ],
    [
      version((_, schema) => (schema.properties.spec.properties.color.pattern = "[a")),
      [
        `${inSchema}.properties[spec].properties[color].pattern: Invalid value: "[a": must be a valid regular expression, but isn't: error parsing regexp: missing closing ]: \`[a\``,
      ],
    ],
    [
      version((_, schema) => (schema.properties.spec.properties.color.anyOf = [{ pattern: "(" }])),
      [
        `${inSchema}.properties[spec].properties[color].anyOf[0].pattern: Invalid value: "(": must be a valid regular expression, but isn't: error parsing regexp: missing closing ): \`(\``,
      ],
    ],
    [
      version((_, schema) => (schema.$schema = "x")),
      [`${inSchema}: Invalid value: "": OpenAPIV3Schema 'schema' is not supported`],
    ],
    [
      version(
        (_, schema) =>
          (schema.properties.spec["x-kubernetes-validations"] = [{ rule: "true", message: 'a: "b"\nc' }]),
      ),
      [
        `${inSchema}.properties[spec].x-kubernetes-validations[0].message: Invalid value: "a: \\"b\\"\\nc": must not contain line breaks`,
      ],
    ],
    [
      version((_, schema) => (schema.properties.spec["x-kubernetes-validations"] = [{}])),
      [
        `${inSchema}.properties[spec].x-kubernetes-validations[0].rule: Required value: rule is not specified`,
      ],
    ],
    [
      version(
        (_, schema) =>
          (schema.properties.spec["x-kubernetes-validations"] = [{ rule: "true", fieldPath: ".none" }]),
      ),
      [
        `${inSchema}.properties[spec].x-kubernetes-validations[0].fieldPath: Invalid value: ".none": fieldPath must be a valid path`,
      ],
    ],
    [
      version((v, schema) => {
        v.subresources = { status: {} };
        schema.maxProperties = 3;
      }),
      [
        `${inSchema}: Invalid value: only [Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields XValidations] fields are allowed at the root of the schema if the status subresource is enabled`,
      ],
    ],
  ])("is rejected: %#", (crd, errors) => {
    expect(created(crd)).toEqual(errors);
  });

  test.each<[string, object, string[]]>([
    ["fits", { type: "object", properties: { a: { type: "integer", minimum: 1 } }, default: { a: 1 } }, []],
    [
      "is of another type",
      { type: "string", default: 1 },
      ['default: Invalid value: "integer": $.default in body must be of type string: "integer"'],
    ],
    [
      "breaks a rule",
      { type: "integer", minimum: 2, default: 1 },
      ["default: Invalid value: 1: $.default in body should be greater than or equal to 2"],
    ],
    [
      "breaks a rule further down",
      {
        type: "object",
        properties: { b: { type: "array", items: { type: "string", enum: ["x"] } } },
        default: { b: ["x", "y"] },
      },
      ['default.b[1]: Unsupported value: "y": supported values: "x"'],
    ],
    [
      "misses something",
      { type: "object", required: ["a"], properties: { a: text }, default: {} },
      ["default.a: Required value"],
    ],
    [
      "would be pruned",
      { type: "object", properties: { a: text }, default: { b: 1 } },
      ['default: Invalid value: {"b":1}: must not have unknown fields'],
    ],
    [
      "stands further down",
      {
        type: "object",
        properties: {
          list: { type: "array", items: { type: "object", properties: { a: { ...text, default: 1 } } } },
        },
      },
      [
        'properties[list].items.properties[a].default: Invalid value: "integer": $.properties[list].items.properties[a].default in body must be of type string: "integer"',
      ],
    ],
    [
      "is in an embedded object",
      {
        type: "object",
        "x-kubernetes-embedded-resource": true,
        "x-kubernetes-preserve-unknown-fields": true,
        default: { apiVersion: "v1", kind: "Pod", metadata: { name: "a" }, spec: {} },
      },
      [],
    ],
    ["is an int-or-string", { "x-kubernetes-int-or-string": true, default: "50%" }, []],
  ])("with a default that %s", (_name, schema, faults) => {
    const place = `${inSchema}.properties[spec].properties[x]`;
    const crd = version((_, root) => (root.properties.spec.properties.x = schema));
    expect(created(crd)).toEqual(faults.map((fault) => `${place}.${fault.replace("$", place)}`));
  });

  test("is rejected when values have a wrong type", () => {
    const crd = widgets(({ spec }) => {
      spec.names.kind = 5;
      spec.versions[0].schema.openAPIV3Schema.properties.spec = {
        type: ["object"],
        properties: [],
        required: "a",
        items: "x",
      };
      spec.versions.push(7);
    });
    expect(created(crd)).toEqual([
      'spec.names.kind: Invalid value: "number": spec.names.kind in body must be of type string: "number"',
      `${inSchema}.properties[spec].type: Invalid value: "array": ${inSchema}.properties[spec].type in body must be of type string: "array"`,
      `${inSchema}.properties[spec].properties: Invalid value: "array": ${inSchema}.properties[spec].properties in body must be of type object: "array"`,
      `${inSchema}.properties[spec].required: Invalid value: "string": ${inSchema}.properties[spec].required in body must be of type array: "string"`,
      `${inSchema}.properties[spec].items: Invalid value: "string": ${inSchema}.properties[spec].items in body must be of type object: "string"`,
      'spec.versions[1]: Invalid value: "number": spec.versions[1] in body must be of type object: "number"',
    ]);
  });

  test.each([undefined, null, 5, "x", [], { spec: {} }])("the spec %j is rejected", (spec) => {
    const crd = { ...widgets(), spec } as Draft;
    expect(created(crd).length).toBeGreaterThan(0);
  });

  test.each(["\\q", 'a"b', 'a": b', ""])("the list type %j is rejected", (listType) => {
    const list = {
      type: "array",
      items: text,
      "x-kubernetes-list-type": listType,
      "x-kubernetes-list-map-keys": ["k"],
    };
    const crd = version((_, schema) => (schema.properties.spec.properties.list = list));
    expect(created(crd)).toContainEqual(
      expect.stringContaining("[list].x-kubernetes-list-type: Unsupported value: "),
    );
  });

  test("a schema that is nested too deeply is rejected", () => {
    const crd = version((_, schema) => {
      let node: Loose = { type: "string", pattern: "(" };
      for (let depth = 0; depth < 50_000; depth++) node = { type: "object", properties: { a: node } };
      schema.properties.spec = node;
    });
    expect(created(crd)).toEqual([expect.stringContaining("must not be nested more than 256 levels deep")]);
  });

  test("fields named like prototypes are accepted", () => {
    const crd = version((_, schema) => {
      schema.properties = JSON.parse(
        '{"__proto__":{"type":"string"},"constructor":{"type":"object","properties":{"a":{}}}}',
      );
    });
    expect(created(crd)).toEqual([
      `${inSchema}.properties[constructor].properties[a].type: Required value: must not be empty for specified object fields`,
    ]);
  });

  test("rules are checked once everything else is valid", () => {
    const crd = widgets();
    prepareDefinitionCreate(crd);
    const checkRules = (_schema: object, path: string) => [fieldErrors.forbidden(path, "no rules")];
    expect(validateDefinition(crd, undefined, { checkRules }).map(fieldErrors.renderFieldError)).toEqual([
      `${inSchema}: Forbidden: no rules`,
    ]);
  });
});

describe("a changed definition", () => {
  test.each<[string, (crd: Loose) => void]>([
    ["nothing", () => {}],
    [
      "its names",
      ({ spec }) => Object.assign(spec.names, { singular: "wid", shortNames: ["w"], listKind: "Wids" }),
    ],
    [
      "its schema",
      ({ spec }) => (spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.more = text),
    ],
    [
      "its storage version",
      ({ spec }) => {
        spec.versions.push({ ...spec.versions[0], name: "v2" });
        spec.versions[0].storage = false;
      },
    ],
    ["what was accepted once", ({ metadata }) => (metadata.labels = { a: "b" })],
  ])("may change %s", (_name, change) => {
    expect(updated(established(), change)).toEqual([]);
  });

  test("that was not established may change its kind and scope", () => {
    const old = widgets();
    prepareDefinitionCreate(old);
    expect(
      updated(old, ({ spec }) =>
        Object.assign(spec, { scope: "Cluster", names: { ...spec.names, kind: "Other" } }),
      ),
    ).toEqual([]);
  });

  test.each<[string, (crd: Loose) => void, string[]]>([
    [
      "scope",
      ({ spec }) => (spec.scope = "Cluster"),
      ['spec.scope: Invalid value: "Cluster": field is immutable'],
    ],
    [
      "kind",
      ({ spec }) => (spec.names.kind = "Other"),
      ['spec.names.kind: Invalid value: "Other": field is immutable'],
    ],
    [
      "group",
      ({ spec }) => (spec.group = "other.dev"),
      ['spec.group: Invalid value: "other.dev": field is immutable'],
    ],
    [
      "plural",
      ({ spec }) => (spec.names.plural = "others"),
      ['spec.names.plural: Invalid value: "others": field is immutable'],
    ],
    [
      "stored version",
      ({ spec }) => (spec.versions[0].name = "v2"),
      [
        'status.storedVersions[0]: Invalid value: "v1": missing from spec.versions; v1 was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in v1 and removes v1 from status.storedVersions',
      ],
    ],
  ])("cannot change its %s", (_name, change, errors) => {
    expect(updated(established(), change)).toEqual(errors);
  });

  test("unchanged parts are not validated again", () => {
    const old = established(
      version((v, schema) => {
        schema.properties.spec.properties.color.pattern = "[a";
        const names = "abcdefghi".split("");
        Object.assign(
          schema.properties.spec.properties,
          Object.fromEntries(names.map((name) => [name, text])),
        );
        v.selectableFields = names.map((name) => ({ jsonPath: `.spec.${name}` }));
      }),
    );
    expect(updated(old, ({ spec }) => (spec.names.shortNames = ["w"]))).toEqual([]);
    expect(updated(old, ({ spec }) => (spec.versions[0].schema.openAPIV3Schema.title = "new"))).toHaveLength(
      1,
    );
  });

  test("the status must contain the storage version", () => {
    const crd = established();
    crd.status.storedVersions = ["v0"];
    expect(validateDefinition(crd, crd).map(fieldErrors.renderFieldError)).toEqual([
      'status.storedVersions: Invalid value: ["v0"]: must have the storage version v1',
      expect.stringContaining(
        'status.storedVersions[0]: Invalid value: "v0": missing from spec.versions; v0 was',
      ),
    ]);
  });
});
