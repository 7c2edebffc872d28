import { describe, expect, test } from "vitest";
import { ApiError, fieldErrors, type KubeObject } from "../../model/core.js";
import type { Draft, ResourceType } from "../resources/resource-type.js";
import { builtInTypes } from "./built-in-types.js";
import { structSchema } from "./schema/build-schema.js";
import { allTypes } from "./types.js";

const types = builtInTypes();

function typeOf(name: string): ResourceType {
  const found = types.find(({ group, kind }) => name === (group === "" ? kind : `${kind}.${group}`));
  if (found === undefined) throw new Error(`no ${name}`);
  return found;
}

/** New object as the server has it before validation. */
function created(name: string, body: object): Draft {
  const type = typeOf(name);
  const draft = { ...structuredClone(body), ...identityOf(type) } as unknown as Draft;
  draft.metadata ??= {};
  type.rules.prune(draft);
  type.rules.applyDefaults(draft);
  type.strategy.prepareCreate?.(draft);
  type.strategy.completeCreate?.(draft);
  return draft;
}

function identityOf({ group, version, kind }: ResourceType): { apiVersion: string; kind: string } {
  return { apiVersion: group === "" ? version : `${group}/${version}`, kind };
}

function updated(name: string, body: object, old: Draft): Draft {
  const type = typeOf(name);
  const draft = { ...structuredClone(body), ...identityOf(type) } as unknown as Draft;
  draft.metadata ??= {};
  type.rules.prune(draft);
  type.rules.applyDefaults(draft);
  type.strategy.prepareUpdate?.(draft, old);
  return draft;
}

function faults(name: string, body: object): string[] {
  const errors = typeOf(name).strategy.validate?.(created(name, body)) ?? [];
  return errors.map(fieldErrors.renderFieldError);
}

function updateFaults(name: string, body: object, before: object): string[] {
  const old = created(name, before);
  const errors = typeOf(name).strategy.validateUpdate?.(updated(name, body, old), old) ?? [];
  return errors.map(fieldErrors.renderFieldError);
}

function cells(name: string, body: object, now = 0): Record<string, unknown> {
  const object = { metadata: {}, ...identityOf(typeOf(name)), ...body } as unknown as KubeObject;
  return Object.fromEntries(typeOf(name).columns.map(({ name, cell }) => [name, cell(object, now)]));
}

const base64 = (text: string): string => Buffer.from(text).toString("base64");

test("built-in kinds have the names, subresources and options of Kubernetes", () => {
  const rows = types.map((type) => {
    const { generation, allowUnconditionalUpdate, allowCreateOnUpdate, ttl } = type.strategy;
    return [
      `${identityOf(type).apiVersion} ${type.kind} ${type.plural}`,
      ...(type.namespaced ? [] : ["cluster"]),
      ...type.shortNames,
      ...type.categories,
      ...Object.keys(type.subresources).map((name) => `/${name}`),
      ...(generation ? ["generation"] : []),
      ...(allowUnconditionalUpdate ? [] : ["conditional"]),
      ...(allowCreateOnUpdate ? ["create-on-update"] : []),
      ...(ttl === undefined ? [] : [`${ttl}ms`]),
    ].join(" ");
  });
  expect(rows).toEqual([
    "v1 ConfigMap configmaps cm",
    "v1 Secret secrets",
    "v1 ServiceAccount serviceaccounts sa",
    "v1 Namespace namespaces cluster ns /finalize /status",
    "v1 Event events ev create-on-update 3600000ms",
    "v1 Pod pods po all /attach /binding /ephemeralcontainers /eviction /exec /log /portforward /status generation",
    "v1 PodTemplate podtemplates generation",
    "v1 ReplicationController replicationcontrollers rc all /status /scale generation",
    "v1 Service services svc all /status create-on-update",
    "v1 Endpoints endpoints ep create-on-update",
    "v1 PersistentVolume persistentvolumes cluster pv /status",
    "v1 PersistentVolumeClaim persistentvolumeclaims pvc /status",
    "v1 Node nodes cluster no /status",
    "v1 LimitRange limitranges limits create-on-update",
    "v1 ResourceQuota resourcequotas quota /status",
    "apps/v1 Deployment deployments deploy all /status /scale generation",
    "apps/v1 StatefulSet statefulsets sts all /status /scale generation",
    "apps/v1 DaemonSet daemonsets ds all /status generation",
    "apps/v1 ReplicaSet replicasets rs all /status /scale generation",
    "apps/v1 ControllerRevision controllerrevisions",
    "events.k8s.io/v1 Event events ev create-on-update 3600000ms",
    "authentication.k8s.io/v1 SelfSubjectReview selfsubjectreviews cluster",
    "authorization.k8s.io/v1 LocalSubjectAccessReview localsubjectaccessreviews",
    "authorization.k8s.io/v1 SelfSubjectAccessReview selfsubjectaccessreviews cluster",
    "authorization.k8s.io/v1 SelfSubjectRulesReview selfsubjectrulesreviews cluster",
    "authorization.k8s.io/v1 SubjectAccessReview subjectaccessreviews cluster",
    "autoscaling/v2 HorizontalPodAutoscaler horizontalpodautoscalers hpa all /status",
    "autoscaling/v1 HorizontalPodAutoscaler horizontalpodautoscalers hpa all /status",
    "batch/v1 Job jobs all /status generation",
    "batch/v1 CronJob cronjobs cj all /status generation",
    "networking.k8s.io/v1 Ingress ingresses ing /status generation",
    "networking.k8s.io/v1 IngressClass ingressclasses cluster generation",
    "networking.k8s.io/v1 NetworkPolicy networkpolicies netpol generation",
    "policy/v1 PodDisruptionBudget poddisruptionbudgets pdb /status generation conditional",
    "rbac.authorization.k8s.io/v1 Role roles create-on-update",
    "rbac.authorization.k8s.io/v1 RoleBinding rolebindings create-on-update",
    "rbac.authorization.k8s.io/v1 ClusterRole clusterroles cluster create-on-update",
    "rbac.authorization.k8s.io/v1 ClusterRoleBinding clusterrolebindings cluster create-on-update",
    "storage.k8s.io/v1 StorageClass storageclasses cluster sc",
    "apiextensions.k8s.io/v1 CustomResourceDefinition customresourcedefinitions cluster crd crds api-extensions /status generation conditional",
    "scheduling.k8s.io/v1 PriorityClass priorityclasses cluster pc",
    "coordination.k8s.io/v1 Lease leases conditional create-on-update",
    "discovery.k8s.io/v1 EndpointSlice endpointslices generation",
  ]);
  expect(typeOf("Namespace").verbs).not.toContain("deletecollection");
  const reviews = types.filter(({ answer }) => answer !== undefined);
  expect(reviews.map(({ verbs }) => verbs)).toEqual(Array.from({ length: 5 }, () => ["create"]));
  expect(types.filter(({ verbs }) => verbs.length === 8)).toHaveLength(types.length - 1 - reviews.length);
  expect(
    types.every((type) => type.capabilities.decoding === "typed" && type.storage.schemaRevision === 0),
  ).toBe(true);
});

test("objects are stored below group and plural", () => {
  expect(typeOf("Pod")).toMatchObject({ singular: "pod", listKind: "PodList" });
  expect(typeOf("Pod").storage).toMatchObject({ prefix: "/core/pods/", apiVersion: "v1", kind: "Pod" });
  const { storage } = typeOf("Deployment.apps");
  expect(storage).toMatchObject({ prefix: "/apps/deployments/", apiVersion: "apps/v1" });
  const events = typeOf("Event.events.k8s.io").storage;
  expect(events).toMatchObject({ prefix: "/core/events/", apiVersion: "v1" });
});

test("the fields of every type can be parsed and have a schema", () => {
  for (const struct of allTypes()) {
    expect(struct.byName.size).toBe(struct.fields.length);
    expect(structSchema(struct)).toBeDefined();
  }
});

test("columns have cells for objects without content, such as bookmarks", () => {
  for (const type of types) {
    const object = { ...identityOf(type), metadata: {} } as KubeObject;
    for (const { name, cell } of type.columns) {
      expect(["string", "number", "boolean"], `${type.kind} ${name}`).toContain(typeof cell(object, 0));
    }
  }
});

test("hooks add rules for definitions", () => {
  const definition = builtInTypes({
    customResourceDefinition: {
      prepareCreate: (object) => {
        object["status"] = { storedVersions: ["v1"] };
      },
      validate: () => [fieldErrors.required("spec.group")],
    },
  }).find(({ kind }) => kind === "CustomResourceDefinition");
  const draft: Draft = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: {},
  };
  definition?.strategy.prepareCreate?.(draft);
  expect(draft["status"]).toEqual({ storedVersions: ["v1"] });
  expect(definition?.strategy.validate?.(draft)).toHaveLength(1);
  expect(definition?.strategy.generation).toBe(true);
});

describe("typed decoding", () => {
  test("rejects wrong types, drops unknown fields and adds fields that are always written", () => {
    const { rules } = typeOf("ConfigMap");
    expect(() => rules.prune({ data: { a: 1 } })).toThrow(
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal number into Go struct field ConfigMap.data of type string',
    );
    expect(() => rules.prune({ data: { a: 1 } })).toThrow(ApiError);
    const object = { apiVersion: "v1", kind: "Event", metadata: {}, foo: 1 };
    expect(typeOf("Event").rules.prune(object)).toEqual(["foo"]);
    typeOf("Event").rules.applyDefaults(object);
    expect(object).toMatchObject({ involvedObject: {}, firstTimestamp: null, reportingComponent: "" });
    expect(typeOf("Event").rules.validate(object)).toEqual([]);
  });
});

describe("ConfigMap", () => {
  const long = "x".repeat(254);

  test.each<[string, object, string[]]>([
    ["nothing", {}, []],
    ["good keys", { data: { "a.b": "", "A_B-c": "" }, binaryData: { c: "YQ==" } }, []],
    [
      "a bad key",
      { data: { "a b": "" } },
      [
        `data[a b]: Invalid value: "a b": a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')`,
      ],
    ],
    ["a dot", { data: { ".": "" } }, [`data[.]: Invalid value: ".": must not be '.'`]],
    ["two dots", { binaryData: { "..": "" } }, [`binaryData[..]: Invalid value: "..": must not be '..'`]],
    ["dots first", { data: { "..a": "" } }, [`data[..a]: Invalid value: "..a": must not start with '..'`]],
    [
      "a long key",
      { data: { [long]: "" } },
      [`data[${long}]: Invalid value: "${long}": must be no more than 253 characters`],
    ],
    [
      "a key twice",
      { data: { a: "" }, binaryData: { a: "" } },
      [`data[a]: Invalid value: "a": duplicate of key present in binaryData`],
    ],
    ["as much as can be", { data: { a: "x".repeat(2 ** 20) } }, []],
    [
      "too much",
      { data: { a: "ü".repeat(2 ** 19) }, binaryData: { b: "YQ==" } },
      [": Too long: may not be more than 1048576 bytes"],
    ],
  ])("%s", (_, body, expected) => {
    expect(faults("ConfigMap", body)).toEqual(expected);
  });

  test("only the metadata of an immutable config map can change", () => {
    const before = { immutable: true, data: { a: "1" } };
    expect(updateFaults("ConfigMap", { ...before, metadata: { labels: { a: "b" } } }, before)).toEqual([]);
    expect(updateFaults("ConfigMap", { data: { a: "2" }, binaryData: { b: "" } }, before)).toEqual([
      "immutable: Forbidden: field is immutable when `immutable` is set",
      "data: Forbidden: field is immutable when `immutable` is set",
      "binaryData: Forbidden: field is immutable when `immutable` is set",
    ]);
    expect(updateFaults("ConfigMap", { data: { a: "2" } }, { data: { a: "1" } })).toEqual([]);
    expect(updateFaults("ConfigMap", { immutable: true, data: {} }, { immutable: true })).toEqual([]);
  });

  test("columns", () => {
    const metadata = { name: "a", creationTimestamp: "1970-01-01T00:00:00Z" };
    const body = { metadata, data: { a: "" }, binaryData: { b: "", c: "" } };
    expect(cells("ConfigMap", body, 90_000)).toEqual({ Name: "a", Data: 3, Age: "90s" });
    expect(cells("ConfigMap", {})).toEqual({ Name: "", Data: 0, Age: "<unknown>" });
  });
});

describe("Secret", () => {
  test("moves stringData into data", () => {
    const draft = created("Secret", {
      data: { a: "b2xk", b: "YQ==" },
      stringData: { a: "new", __proto__: "x" },
    });
    expect(draft).toEqual({
      apiVersion: "v1",
      kind: "Secret",
      metadata: {},
      type: "Opaque",
      data: { a: base64("new"), b: "YQ==" },
    });
    const old = created("Secret", { data: { a: "YQ==" } });
    expect(updated("Secret", { data: { a: "YQ==" }, stringData: { b: "x" } }, old)["data"]).toEqual({
      a: "YQ==",
      b: base64("x"),
    });
  });

  test.each<[string, object, string[]]>([
    ["nothing", {}, []],
    ["a type of one's own", { type: "demo.dev/token" }, []],
    ["a bad key", { data: { "..": "" } }, [`data[..]: Invalid value: "..": must not be '..'`]],
    [
      "too much",
      { stringData: { a: "x".repeat(2 ** 20 + 1) } },
      ["data: Too long: may not be more than 1048576 bytes"],
    ],
    [
      "a token without a service account",
      { type: "kubernetes.io/service-account-token" },
      ["metadata.annotations[kubernetes.io/service-account.name]: Required value"],
    ],
    [
      "a token",
      {
        type: "kubernetes.io/service-account-token",
        metadata: { annotations: { "kubernetes.io/service-account.name": "default" } },
      },
      [],
    ],
    ["docker", { type: "kubernetes.io/dockercfg" }, ["data[.dockercfg]: Required value"]],
    [
      "docker without JSON",
      { type: "kubernetes.io/dockerconfigjson", stringData: { ".dockerconfigjson": "" } },
      [`data[.dockerconfigjson]: Invalid value: "<secret contents redacted>": unexpected end of JSON input`],
    ],
    [
      "docker with something else",
      { type: "kubernetes.io/dockercfg", stringData: { ".dockercfg": "x" } },
      [
        `data[.dockercfg]: Invalid value: "<secret contents redacted>": invalid character 'x' looking for beginning of value`,
      ],
    ],
    [
      "docker with a list",
      { type: "kubernetes.io/dockercfg", stringData: { ".dockercfg": "[]" } },
      [
        `data[.dockercfg]: Invalid value: "<secret contents redacted>": json: cannot unmarshal array into Go value of type map[string]interface {}`,
      ],
    ],
    ["docker with JSON", { type: "kubernetes.io/dockercfg", stringData: { ".dockercfg": "{}" } }, []],
    [
      "no user and no password",
      { type: "kubernetes.io/basic-auth" },
      ["data[username]: Required value", "data[password]: Required value"],
    ],
    ["a user", { type: "kubernetes.io/basic-auth", stringData: { username: "" } }, []],
    [
      "no key",
      { type: "kubernetes.io/ssh-auth", data: { "ssh-privatekey": "" } },
      ["data[ssh-privatekey]: Required value"],
    ],
    [
      "no certificate",
      { type: "kubernetes.io/tls", data: { "tls.key": "" } },
      ["data[tls.crt]: Required value"],
    ],
  ])("%s", (_, body, expected) => {
    expect(faults("Secret", body)).toEqual(expected);
  });

  test("rejects changes of the type and of immutable data", () => {
    expect(updateFaults("Secret", {}, { type: "demo.dev/x" })).toEqual([
      'type: Invalid value: "Opaque": field is immutable',
    ]);
    expect(updateFaults("Secret", { immutable: true, stringData: { a: "2" } }, { immutable: true })).toEqual([
      "data: Forbidden: field is immutable when `immutable` is set",
    ]);
  });

  test("warns about a certificate and key that do not match", () => {
    const warnings = (data: Record<string, string>): string[] | undefined =>
      typeOf("Secret").strategy.warnings?.(
        created("Secret", { type: "kubernetes.io/tls", stringData: data }),
      );
    expect(warnings({})).toEqual(["tls: failed to find any PEM data in certificate input"]);
    const certificate = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    expect(warnings({ "tls.crt": certificate })).toEqual(["tls: failed to find any PEM data in key input"]);
    expect(warnings({ "tls.crt": certificate, "tls.key": "-----BEGIN PRIVATE KEY-----" })).toEqual([
      "tls: failed to parse certificate",
    ]);
    expect(typeOf("Secret").strategy.warnings?.(created("Secret", {}))).toEqual([]);
  });

  test("columns and selectable fields", () => {
    expect(cells("Secret", { type: "Opaque", data: { a: "" } })).toMatchObject({ Type: "Opaque", Data: 1 });
    expect(typeOf("Secret").selectableFields.get("type")?.(created("Secret", {}) as KubeObject)).toBe(
      "Opaque",
    );
  });
});

describe("ServiceAccount", () => {
  test("keeps only the names of referenced secrets", () => {
    const draft = created("ServiceAccount", { secrets: [{ name: "a", kind: "Secret" }, {}] });
    expect(draft["secrets"]).toEqual([{ name: "a" }, {}]);
    expect(cells("ServiceAccount", draft)).toMatchObject({ Secrets: 2 });
  });

  test("warns about a deprecated annotation", () => {
    const metadata = { annotations: { "kubernetes.io/enforce-mountable-secrets": "true" } };
    expect(typeOf("ServiceAccount").strategy.warnings?.(created("ServiceAccount", { metadata }))).toEqual([
      "metadata.annotations[kubernetes.io/enforce-mountable-secrets]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets",
    ]);
  });
});

describe("Namespace", () => {
  test("is created active, with its name label and finalizer", () => {
    const draft = created("Namespace", {
      metadata: { name: "demo", labels: { a: "b" } },
      spec: { finalizers: ["demo.dev/x"] },
      status: { phase: "Terminating" },
    });
    expect(draft).toMatchObject({
      metadata: { labels: { a: "b", "kubernetes.io/metadata.name": "demo" } },
      spec: { finalizers: ["demo.dev/x", "kubernetes"] },
      status: { phase: "Active" },
    });
    expect(created("Namespace", { spec: { finalizers: ["kubernetes"] } })["spec"]).toEqual({
      finalizers: ["kubernetes"],
    });
  });

  test("keeps its finalizers and name label in updates", () => {
    const old = created("Namespace", { metadata: { name: "demo" } });
    const draft = updated("Namespace", { metadata: { name: "demo", labels: { a: "b" } }, spec: {} }, old);
    expect(draft["spec"]).toEqual({ finalizers: ["kubernetes"] });
    expect(draft.metadata["labels"]).toEqual({ a: "b", "kubernetes.io/metadata.name": "demo" });
  });

  test("faults", () => {
    expect(faults("Namespace", { spec: { finalizers: ["foo", "a/b/c"] } })).toEqual([
      'spec.finalizers: Invalid value: "foo": name is neither a standard finalizer name nor is it fully qualified',
      expect.stringContaining('spec.finalizers: Invalid value: "a/b/c": a valid label key must consist of'),
    ]);
    const { validateName } = typeOf("Namespace").strategy;
    expect(validateName("a.b")).toEqual(["must not contain dots"]);
    const update = (metadata: object, status: object): string[] => {
      const old = created("Namespace", { metadata: { name: "a" } });
      const draft = { ...structuredClone(old), metadata: { ...old.metadata, ...metadata }, status } as Draft;
      const errors = typeOf("Namespace").strategy.validateUpdate?.(draft, old) ?? [];
      return errors.map(fieldErrors.renderFieldError);
    };
    expect(update({}, { phase: "Terminating" })).toEqual([
      "status.Phase: Invalid value: \"Terminating\": may only be 'Active' if `deletionTimestamp` is empty",
    ]);
    const deletionTimestamp = "2026-01-01T00:00:00Z";
    expect(update({ deletionTimestamp }, { phase: "Terminating" })).toEqual([]);
    expect(update({ deletionTimestamp }, {})).toEqual([
      "status.Phase: Invalid value: \"\": may only be 'Terminating' if `deletionTimestamp` is not empty",
    ]);
  });

  test("terminates when deleted, is removed with its last finalizer, and system namespaces cannot be deleted", () => {
    const { strategy } = typeOf("Namespace");
    const draft = created("Namespace", { metadata: { name: "demo" } });
    expect(strategy.holdsDeleted?.(draft as KubeObject)).toBe(true);
    strategy.prepareDelete?.(draft);
    expect(draft["status"]).toEqual({ phase: "Terminating" });
    draft["spec"] = {};
    expect(strategy.holdsDeleted?.(draft as KubeObject)).toBe(false);
    expect(strategy.forbidDelete?.(draft as KubeObject)).toBeUndefined();
    const named = created("Namespace", { metadata: { name: "default" } });
    expect(strategy.forbidDelete?.(named as KubeObject)).toBe("this namespace may not be deleted");
  });

  test("columns and selectable fields", () => {
    const object = created("Namespace", { metadata: { name: "demo" } });
    expect(cells("Namespace", object)).toMatchObject({ Name: "demo", Status: "Active" });
    expect(typeOf("Namespace").selectableFields.get("status.phase")?.(object as KubeObject)).toBe("Active");
  });
});

describe("Lease", () => {
  test("faults", () => {
    expect(
      faults("Lease.coordination.k8s.io", { spec: { leaseDurationSeconds: 0, leaseTransitions: -1 } }),
    ).toEqual([
      "spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0",
      "spec.leaseTransitions: Invalid value: -1: must be greater than or equal to 0",
    ]);
    expect(updateFaults("Lease.coordination.k8s.io", { spec: { leaseDurationSeconds: 1 } }, {})).toEqual([]);
  });

  test("drops the fields of coordinated leader election", () => {
    const spec = { holderIdentity: "me", strategy: "OldestEmulationVersion", preferredHolder: "x" };
    const draft = created("Lease.coordination.k8s.io", { spec });
    expect(draft["spec"]).toEqual({ holderIdentity: "me" });
    expect(cells("Lease.coordination.k8s.io", draft)).toMatchObject({ Holder: "me" });
    expect(cells("Lease.coordination.k8s.io", {})).toMatchObject({ Holder: "" });
  });
});

test("CustomResourceDefinition has a column with its creation time", () => {
  const metadata = { name: "widgets.demo.dev", creationTimestamp: "2026-01-01T00:00:00Z" };
  expect(cells("CustomResourceDefinition.apiextensions.k8s.io", { metadata })).toEqual({
    Name: "widgets.demo.dev",
    "Created At": "2026-01-01T00:00:00Z",
  });
  expect(typeOf("CustomResourceDefinition.apiextensions.k8s.io").columns[1]?.type).toBe("date");
});
