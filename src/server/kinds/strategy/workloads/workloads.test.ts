import { describe, expect, test } from "vitest";
import { fieldErrors, type KubeObject } from "../../../../model/core.js";
import { cells, created, faults, read, typeOf, updateFaults } from "../fixtures/apply-rules.js";

const container = { name: "c", image: "i:1" };
const labels = { app: "a" };
const template = { metadata: { labels }, spec: { containers: [container] } };
const selected = { selector: { matchLabels: labels }, template };

describe("pods", () => {
  test.each([
    ["nginx", "Always"],
    ["nginx:latest", "Always"],
    ["host:5000/nginx", "Always"],
    ["host:5000/nginx:1.2", "IfNotPresent"],
    ["nginx@sha256:0", "IfNotPresent"],
    ["nginx:latest@sha256:0", "Always"],
  ])("the pull policy of %s is %s", (image, policy) => {
    const { spec } = created("Pod", { containers: [{ name: "c", image }] });
    expect(spec.containers[0].imagePullPolicy).toBe(policy);
  });

  test.each([
    [{}, "BestEffort"],
    [{ requests: { cpu: "1" } }, "Burstable"],
    [{ limits: { cpu: "1", memory: "1Gi" } }, "Guaranteed"],
    [{ limits: { cpu: "1", memory: "1Gi" }, requests: { cpu: "1000m", memory: "1024Mi" } }, "Guaranteed"],
    [{ limits: { cpu: "2", memory: "1Gi" }, requests: { cpu: "1" } }, "Burstable"],
  ])("resources %j have the QoS class %s", (resources, quality) => {
    expect(created("Pod", { containers: [{ ...container, resources }] })["status"]).toEqual({
      phase: "Pending",
      qosClass: quality,
    });
  });

  test("requests default to limits in pods, not in templates", () => {
    const limited = { ...container, resources: { limits: { cpu: "1" } } };
    const { spec } = created("Pod", { containers: [limited] });
    expect(spec.containers[0].resources.requests).toEqual({ cpu: "1" });
    const made = created("PodTemplate", {}, { template: { spec: { containers: [limited] } } });
    expect(made["template"].spec.containers[0].resources).toEqual({ limits: { cpu: "1" } });
  });

  test("volumes without a source become emptyDir", () => {
    const { spec } = created("Pod", { containers: [container], volumes: [{ name: "v" }] });
    expect(spec.volumes).toEqual([{ name: "v", emptyDir: {} }]);
  });

  test.each<[string, object, string[]]>([
    ["nothing to run", {}, ["spec.containers: Required value"]],
    [
      "a container without anything",
      { containers: [{}] },
      ["spec.containers[0].name: Required value", "spec.containers[0].image: Required value"],
    ],
    [
      "a name twice",
      { containers: [container, container] },
      ['spec.containers[1].name: Duplicate value: "c"'],
    ],
    [
      "bad ports",
      { containers: [{ ...container, ports: [{ containerPort: 70_000, protocol: "X" }, { name: "A" }] }] },
      [
        "spec.containers[0].ports[0].containerPort: Invalid value: 70000: must be between 1 and 65535, inclusive",
        'spec.containers[0].ports[0].protocol: Unsupported value: "X": supported values: "SCTP", "TCP", "UDP"',
        'spec.containers[0].ports[1].name: Invalid value: "A": must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)',
        'spec.containers[0].ports[1].name: Invalid value: "A": must contain at least one letter (a-z)',
        "spec.containers[0].ports[1].containerPort: Required value",
      ],
    ],
    [
      "a volume that is not there",
      { containers: [{ ...container, volumeMounts: [{ name: "v", mountPath: "/v" }] }] },
      ['spec.containers[0].volumeMounts[0].name: Not found: "v"'],
    ],
    [
      "more than it may have",
      { containers: [{ ...container, resources: { limits: { cpu: "1" }, requests: { cpu: "2" } } }] },
      [
        'spec.containers[0].resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1',
      ],
    ],
    [
      "a probe of nothing",
      { containers: [{ ...container, livenessProbe: {} }] },
      ["spec.containers[0].livenessProbe: Required value: must specify a handler type"],
    ],
    [
      "an unknown policy",
      { containers: [container], restartPolicy: "Sometimes" },
      [
        'spec.restartPolicy: Unsupported value: "Sometimes": supported values: "Always", "OnFailure", "Never"',
      ],
    ],
  ])("%s", (_, spec, expected) => {
    expect(faults("Pod", spec)).toEqual(expected);
  });

  test("only images and a few other fields can change", () => {
    const before = { containers: [container] };
    expect(updateFaults("Pod", { containers: [{ ...container, image: "i:2" }] }, before)).toEqual([]);
    expect(updateFaults("Pod", { containers: [{ ...container, command: ["x"] }] }, before)).toEqual([
      expect.stringContaining("spec: Forbidden: pod updates may not change fields other than"),
    ]);
  });

  test("columns", () => {
    const spec = { containers: [container], nodeName: "n" };
    const state = (each: object): object => ({ name: "c", restartCount: 0, ...each });
    const status = (containerStatuses: object[], more: object = {}): object => ({
      spec,
      status: { phase: "Running", containerStatuses, ...more },
    });
    const running = state({ ready: true, state: { running: {} }, restartCount: 2 });
    expect(cells("Pod", status([running])).slice(0, 4)).toEqual(["it", "1/1", "Running", "2"]);
    const crashing = state({ state: { waiting: { reason: "CrashLoopBackOff" } } });
    expect(cells("Pod", status([crashing])).slice(1, 3)).toEqual(["0/1", "CrashLoopBackOff"]);
    const ended = state({ state: { terminated: { exitCode: 3 } } });
    expect(cells("Pod", status([ended]))[2]).toBe("ExitCode:3");
    const first = [{ name: "i", restartCount: 0, state: { running: {} } }];
    const starting = status([], { phase: "Pending", initContainerStatuses: first });
    expect(cells("Pod", { ...starting, spec: { ...spec, initContainers: [{ name: "i" }] } })[2]).toBe(
      "Init:0/1",
    );
    const metadata = { name: "it", deletionTimestamp: "1970-01-01T00:00:00Z" };
    expect(cells("Pod", { ...status([running]), metadata })[2]).toBe("Terminating");
  });
});

describe("workloads", () => {
  test.each(["Deployment", "ReplicaSet", "StatefulSet", "DaemonSet"])(
    "%s finds its pods by their labels",
    (kind) => {
      expect(faults(kind, selected)).toEqual([]);
      expect(faults(kind, { template })).toContain("spec.selector: Required value");
      expect(faults(kind, { ...selected, selector: { matchLabels: { app: "b" } } })).toEqual([
        'spec.template.metadata.labels: Invalid value: {"app":"a"}: `selector` does not match template `labels`',
      ]);
      const once = { ...template, spec: { ...template.spec, restartPolicy: "Never" } };
      expect(faults(kind, { ...selected, template: once })).toEqual([
        'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
      ]);
    },
  );

  test.each(["Deployment", "ReplicaSet", "DaemonSet"])("%s rejects a change of its selector", (kind) => {
    const both = { ...template, metadata: { labels: { ...labels, b: "c" } } };
    const before = { ...selected, template: both };
    expect(updateFaults(kind, { ...before, selector: { matchLabels: { b: "c" } } }, before)).toEqual([
      'spec.selector: Invalid value: {"matchLabels":{"b":"c"}}: field is immutable',
    ]);
  });

  test("a change of annotations increments the generation of a deployment", () => {
    const { strategy } = typeOf("Deployment");
    const old = { ...created("Deployment", selected), metadata: { name: "it", generation: 4 } } as KubeObject;
    const draft = read("Deployment", selected, {
      metadata: { name: "it", generation: 4, annotations: { a: "b" } },
    });
    strategy.prepareUpdate?.(draft, old);
    expect(draft.metadata["generation"]).toBe(5);
  });

  test("a replication controller defaults its selector and labels to those of the template", () => {
    const draft = created("ReplicationController", { template });
    expect(draft["spec"]).toMatchObject({ selector: labels, replicas: 1 });
    expect(draft.metadata["labels"]).toEqual(labels);
  });

  test("a stateful set rejects changes of most fields", () => {
    const claim = { metadata: { name: "data" }, spec: { accessModes: ["ReadWriteOnce"] } };
    const mounting = { ...container, volumeMounts: [{ name: "data", mountPath: "/data" }] };
    const set = {
      ...selected,
      template: { ...template, spec: { containers: [mounting] } },
      volumeClaimTemplates: [claim],
    };
    expect(updateFaults("StatefulSet", { ...set, replicas: 3 }, set)).toEqual([]);
    expect(updateFaults("StatefulSet", { ...set, serviceName: "other" }, set)).toEqual([
      expect.stringContaining("spec: Forbidden: updates to statefulset spec for fields other than"),
    ]);
  });
});

describe("jobs", () => {
  const pods = { spec: { containers: [container], restartPolicy: "Never" } };

  test("get a selector from their uid", () => {
    const draft = created("Job", { template: pods }, { metadata: { name: "it", uid: "u-1" } });
    expect(draft["spec"]).toMatchObject({
      selector: { matchLabels: { "batch.kubernetes.io/controller-uid": "u-1" } },
      template: { metadata: { labels: { "job-name": "it", "controller-uid": "u-1" } } },
    });
    expect(faults("Job", { template: pods }, { metadata: { name: "it", uid: "u-1" } })).toEqual([]);
  });

  test("reject restart policy Always and changes of the template", () => {
    expect(faults("Job", { template: { spec: { containers: [container] } } })).toEqual([
      'spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"',
    ]);
    const manual = { manualSelector: true, ...selected, template: { ...pods, metadata: { labels } } };
    const changed = { ...manual, template: { ...manual.template, spec: { ...pods.spec, nodeName: "n" } } };
    expect(updateFaults("Job", changed, manual)).toEqual([
      expect.stringMatching(/^spec\.template: Invalid value: .*: field is immutable$/),
    ]);
    expect(updateFaults("Job", { ...manual, parallelism: 3, completions: 1 }, manual)).toEqual([]);
  });

  test.each([
    ["*/5 * * * *", true],
    ["0 3 * * mon-fri", true],
    ["@daily", true],
    ["@every 1h30m", true],
    ["", false],
    ["* * * *", false],
    ["61 * * * *", false],
    ["TZ=UTC * * * * *", false],
  ])("schedule %j is valid: %s", (schedule, good) => {
    const found = faults("CronJob", { schedule, jobTemplate: { spec: { template: pods } } });
    expect(found.length === 0).toBe(good);
  });

  test("columns", () => {
    const status = {
      succeeded: 2,
      startTime: "1970-01-01T00:00:00Z",
      completionTime: "1970-01-01T00:01:30Z",
    };
    const conditions = [{ type: "Complete", status: "True" }];
    expect(cells("Job", { spec: { completions: 3, template: {} }, status }).slice(0, 4)).toEqual([
      "it",
      "Running",
      "2/3",
      "90s",
    ]);
    expect(
      cells("Job", { spec: { parallelism: 2, template: {} }, status: { conditions } }).slice(1, 4),
    ).toEqual(["Complete", "0/1 of 2", ""]);
  });
});

describe("services", () => {
  const ports = [{ port: 80 }];

  test.each<[string, object, object]>([
    ["plain", { ports }, { type: "ClusterIP", sessionAffinity: "None", internalTrafficPolicy: "Cluster" }],
    ["headless", { clusterIP: "None" }, { clusterIP: "None", internalTrafficPolicy: "Cluster" }],
    [
      "from outside",
      { ports, type: "LoadBalancer" },
      { externalTrafficPolicy: "Cluster", allocateLoadBalancerNodePorts: true },
    ],
    [
      "with memory",
      { ports, sessionAffinity: "ClientIP" },
      { sessionAffinityConfig: { clientIP: { timeoutSeconds: 10_800 } } },
    ],
    ["ports", { ports }, { ports: [{ port: 80, protocol: "TCP", targetPort: 80 }] }],
  ])("%s", (_, spec, expected) => {
    expect(created("Service", spec)["spec"]).toMatchObject(expected);
    expect(faults("Service", spec)).toEqual([]);
  });

  test("several ports need unique names and numbers", () => {
    expect(faults("Service", { ports: [...ports, { name: "b", port: 80 }] })).toEqual([
      "spec.ports[0].name: Required value",
      'spec.ports[1]: Duplicate value: {"port":80,"protocol":"TCP"}',
    ]);
    expect(faults("Service", { type: "ExternalName" })).toEqual(["spec.externalName: Required value"]);
  });

  test("columns", () => {
    const [, ...shown] = cells("Service", {
      spec: {
        type: "LoadBalancer",
        clusterIPs: ["10.0.0.1"],
        ports: [{ port: 80, nodePort: 30_080, protocol: "TCP" }],
      },
    });
    expect(shown).toEqual(["LoadBalancer", "10.0.0.1", "<pending>", "80:30080/TCP", "<unknown>", "<none>"]);
  });
});

describe("access", () => {
  test("bindings reject a change of roleRef", () => {
    const { strategy } = typeOf("RoleBinding");
    const roleRef = { kind: "Role", name: "a" };
    const old = created("RoleBinding", {}, { roleRef, subjects: [{ kind: "User", name: "u" }] });
    expect(old["roleRef"].apiGroup).toBe("rbac.authorization.k8s.io");
    expect(old["subjects"]).toEqual([{ kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "u" }]);
    const draft = read("RoleBinding", {}, { roleRef: { kind: "Role", name: "b" } });
    expect(strategy.validateUpdate?.(draft, old as KubeObject).map(fieldErrors.renderFieldError)).toEqual([
      'roleRef: Invalid value: {"APIGroup":"rbac.authorization.k8s.io","Kind":"Role","Name":"b"}: cannot change roleRef',
    ]);
  });

  test("rules need verbs and API groups", () => {
    expect(faults("Role", {}, { rules: [{ resources: ["pods"] }] })).toEqual([
      "rules[0].verbs: Required value: verbs must contain at least one value",
      "rules[0].apiGroups: Required value: resource rules must supply at least one api group",
    ]);
  });
});
