import { describe, expect, test } from "vitest";
import { selectorCell, someOf } from "./columns.js";
import { cells, typeOf } from "./fixtures/apply-rules.js";

/** Cells by column name, without name and age. */
function row(kind: string, fields: object): Record<string, unknown> {
  const values = cells(kind, fields);
  const columns = typeOf(kind).columns.map(({ name }, index) => [name, values[index]] as const);
  return Object.fromEntries(columns.filter(([name]) => name !== "Name" && name !== "Age"));
}

test("a list is cut after its first items", () => {
  expect(someOf(["a", "b", "c"])).toBe("a,b,c");
  expect(someOf(["a", "b", "c", "d", "e"])).toBe("a,b,c + 2 more...");
});

test("a selector that cannot be read is an error, a missing one is none", () => {
  expect(selectorCell(undefined)).toBe("<none>");
  expect(selectorCell({ matchLabels: { b: "2", a: "1" } })).toBe("a=1,b=2");
  expect(selectorCell({ matchExpressions: [{ key: "a", operator: "Sideways" }] })).toBe("<error>");
});

describe("pods", () => {
  const spec = { containers: [{ name: "a" }, { name: "b" }], nodeName: "n1" };
  const running = (name: string) => ({ name, ready: true, restartCount: 0, state: { running: {} } });
  const waiting = (name: string, reason: string) => ({
    name,
    restartCount: 0,
    state: { waiting: { reason } },
  });
  const show = (status: object, more: object = {}): unknown => {
    const { Ready, Status, Restarts } = row("Pod", { spec, status, ...more });
    return [Ready, Status, Restarts];
  };

  test("show the ready containers, addresses and readiness gates", () => {
    const conditions = [{ type: "gate/one", status: "True" }];
    const readinessGates = [{ conditionType: "gate/one" }, { conditionType: "gate/two" }];
    const status = { phase: "Running", conditions, podIPs: [{ ip: "10.0.0.9" }], nominatedNodeName: "n2" };
    const containerStatuses = [running("a"), { ...running("b"), ready: false }];
    expect(
      row("Pod", { spec: { ...spec, readinessGates }, status: { ...status, containerStatuses } }),
    ).toEqual({
      Ready: "1/2",
      Status: "Running",
      Restarts: "0",
      IP: "10.0.0.9",
      Node: "n1",
      "Nominated Node": "n2",
      "Readiness Gates": "1/2",
    });
  });

  test("show how long ago a container was restarted", () => {
    const finishedAt = "1969-12-31T23:55:00Z";
    const restarted = { ...running("a"), restartCount: 3, lastState: { terminated: { finishedAt } } };
    const containerStatuses = [restarted, running("b")];
    expect(show({ phase: "Running", containerStatuses })).toEqual(["2/2", "Running", "3 (5m ago)"]);
  });

  test("show why they do not run", () => {
    const gated = [{ type: "PodScheduled", reason: "SchedulingGated", status: "False" }];
    expect(show({ phase: "Pending", conditions: gated })).toEqual(["0/2", "SchedulingGated", "0"]);
    expect(show({ phase: "Failed", reason: "Evicted" })).toEqual(["0/2", "Evicted", "0"]);
    const containerStatuses = [waiting("a", "ImagePullBackOff"), waiting("b", "ErrImagePull")];
    expect(show({ phase: "Pending", containerStatuses })).toEqual(["0/2", "ImagePullBackOff", "0"]);
    const signalled = { name: "a", restartCount: 0, state: { terminated: { signal: 9, exitCode: 137 } } };
    expect(show({ phase: "Failed", containerStatuses: [signalled] })).toEqual(["0/2", "Signal:9", "0"]);
    const metadata = { name: "it", deletionTimestamp: "1970-01-01T00:00:00Z" };
    expect(show({ phase: "Running", reason: "NodeLost" }, { metadata })).toEqual(["0/2", "Unknown", "0"]);
    expect(show({ phase: "Succeeded" }, { metadata })).toEqual(["0/2", "Succeeded", "0"]);
  });

  test("show that one container has completed while the other runs", () => {
    const completed = {
      name: "a",
      restartCount: 0,
      state: { terminated: { reason: "Completed", exitCode: 0 } },
    };
    const containerStatuses = [completed, running("b")];
    const ready = (status: string) => [{ type: "Ready", status }];
    expect(show({ phase: "Running", containerStatuses, conditions: ready("True") })).toEqual([
      "1/2",
      "Running",
      "0",
    ]);
    expect(show({ phase: "Running", containerStatuses, conditions: ready("False") })).toEqual([
      "1/2",
      "NotReady",
      "0",
    ]);
  });

  test("show their init containers until these are done, and count sidecars", () => {
    const initContainers = [{ name: "i" }, { name: "s", restartPolicy: "Always" }];
    const more = { spec: { ...spec, initContainers } };
    const done = { name: "i", restartCount: 0, state: { terminated: { exitCode: 0 } } };
    expect(
      show({ phase: "Pending", initContainerStatuses: [waiting("i", "PodInitializing")] }, more),
    ).toEqual(["0/3", "Init:0/2", "0"]);
    expect(
      show({ phase: "Pending", initContainerStatuses: [waiting("i", "CrashLoopBackOff")] }, more),
    ).toEqual(["0/3", "Init:CrashLoopBackOff", "0"]);
    const sidecar = { ...running("s"), started: true };
    const containerStatuses = [running("a"), running("b")];
    expect(
      show({ phase: "Running", initContainerStatuses: [done, sidecar], containerStatuses }, more),
    ).toEqual(["3/3", "Running", "0"]);
  });
});

test("nodes show readiness, roles and addresses", () => {
  const labels = {
    "node-role.kubernetes.io/worker": "",
    "node-role.kubernetes.io/control-plane": "",
    "kubernetes.io/role": "db",
  };
  const status = {
    conditions: [{ type: "Ready", status: "True" }],
    addresses: [{ type: "InternalIP", address: "10.0.0.1" }],
    nodeInfo: { kubeletVersion: "v1.34.0", osImage: "Debian" },
  };
  expect(row("Node", { metadata: { name: "n", labels }, spec: { unschedulable: true }, status })).toEqual({
    Status: "Ready,SchedulingDisabled",
    Roles: "control-plane,db,worker",
    Version: "v1.34.0",
    "Internal-IP": "10.0.0.1",
    "External-IP": "<none>",
    "OS-Image": "Debian",
    "Kernel-Version": "<unknown>",
    "Container-Runtime": "<unknown>",
  });
  expect(row("Node", { spec: {} })).toMatchObject({ Status: "Unknown", Roles: "<none>" });
  const conditions = [{ type: "Ready", status: "False" }];
  expect(row("Node", { spec: {}, status: { conditions } })).toMatchObject({ Status: "NotReady" });
});

test("autoscalers show current and target values of two metrics", () => {
  const metrics = [
    { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 80 } } },
    { type: "Pods", pods: { metric: { name: "rps" }, target: { type: "AverageValue", averageValue: "5" } } },
    {
      type: "External",
      external: { metric: { name: "q" }, target: { type: "AverageValue", averageValue: "30" } },
    },
  ];
  const currentMetrics = [
    { type: "Resource", resource: { name: "cpu", current: { averageUtilization: 65 } } },
  ];
  const targets = (parts: object): unknown => row("HorizontalPodAutoscaler", parts)["Targets"];
  const spec = { scaleTargetRef: { kind: "Deployment", name: "web" }, maxReplicas: 3 };
  expect(targets({ spec: { ...spec, metrics }, status: { currentMetrics } })).toBe(
    "cpu: 65%/80%, <unknown>/5 + 1 more...",
  );
  expect(targets({ spec: { ...spec, metrics: metrics.slice(2) }, status: {} })).toBe("<unknown>/30 (avg)");
  expect(targets({ spec: { ...spec, metrics: [{ type: "Odd" }] }, status: {} })).toBe("<unknown type>");
  expect(targets({ spec })).toBe("<none>");
});

describe("other kinds", () => {
  const controller = { apiVersion: "apps/v1", kind: "StatefulSet", name: "db", controller: true };
  const v1 = { ...controller, apiVersion: "v1", kind: "ReplicationController" };
  const addresses = ["10.0.0.1", "10.0.0.2", "10.0.0.3", "::1"];
  test.each<[kind: string, fields: object, row: object]>([
    [
      "ControllerRevision",
      { metadata: { name: "r", ownerReferences: [controller] }, revision: 2 },
      { Controller: "statefulset.apps/db", Revision: 2 },
    ],
    [
      "ControllerRevision",
      { metadata: { name: "r", ownerReferences: [v1] } },
      { Controller: "replicationcontroller/db", Revision: 0 },
    ],
    ["ControllerRevision", {}, { Controller: "<none>" }],
    [
      "PodDisruptionBudget",
      { spec: { maxUnavailable: "50%" }, status: { disruptionsAllowed: 2 } },
      { "Min Available": "N/A", "Max Unavailable": "50%", "Allowed Disruptions": 2 },
    ],
    [
      "EndpointSlice",
      { addressType: "IPv4", endpoints: [{ addresses }] },
      { Endpoints: "10.0.0.1,10.0.0.2,10.0.0.3 + 1 more..." },
    ],
    ["EndpointSlice", { addressType: "IPv4", endpoints: [] }, { Endpoints: "<unset>" }],
    [
      "Endpoints",
      { subsets: [{ addresses: [{ ip: "10.0.0.1" }, { ip: "::1" }], ports: [{ port: 80 }] }] },
      { Endpoints: "10.0.0.1:80,[::1]:80" },
    ],
    ["Endpoints", { subsets: [{ addresses: [{ ip: "10.0.0.1" }] }] }, { Endpoints: "10.0.0.1" }],
    ["Endpoints", {}, { Endpoints: "<none>" }],
    ["Service", { spec: { type: "LoadBalancer" } }, { "External-IP": "<pending>", "Port(s)": "<none>" }],
    [
      "Service",
      {
        spec: { type: "LoadBalancer" },
        status: { loadBalancer: { ingress: [{ hostname: "lb" }, { ip: "1.2.3.4" }] } },
      },
      { "External-IP": "1.2.3.4,lb" },
    ],
    ["Service", { spec: { type: "ExternalName", externalName: "a.b" } }, { "External-IP": "a.b" }],
    [
      "Ingress",
      {
        spec: { rules: [{ host: "a.b" }, {}], tls: [{}] },
        status: { loadBalancer: { ingress: [{ ip: "1.2.3.4" }] } },
      },
      { Class: "<none>", Hosts: "a.b", Address: "1.2.3.4", Ports: "80, 443" },
    ],
    ["Ingress", { spec: {} }, { Hosts: "*", Address: "", Ports: "80" }],
    [
      "PersistentVolume",
      {
        spec: {
          capacity: { storage: "1Gi" },
          accessModes: ["ReadWriteOnce"],
          claimRef: { namespace: "a", name: "b" },
        },
        status: { phase: "Bound" },
      },
      { Capacity: "1Gi", "Access Modes": "RWO", Claim: "a/b", Status: "Bound", VolumeMode: "<unset>" },
    ],
    [
      "PersistentVolumeClaim",
      {
        spec: { volumeName: "v" },
        status: { phase: "Bound", capacity: { storage: "2Gi" }, accessModes: ["ReadOnlyMany"] },
      },
      { Status: "Bound", Volume: "v", Capacity: "2Gi", "Access Modes": "ROX" },
    ],
    [
      "PersistentVolumeClaim",
      { metadata: { name: "c", deletionTimestamp: "1970-01-01T00:00:00Z" }, spec: {} },
      { Status: "Terminating", Capacity: "", "Access Modes": "" },
    ],
    [
      "StorageClass",
      { provisioner: "demo.dev/disk" },
      {
        Provisioner: "demo.dev/disk",
        ReclaimPolicy: "Delete",
        VolumeBindingMode: "Immediate",
        AllowVolumeExpansion: false,
      },
    ],
    ["ConfigMap", { data: { a: "1" }, binaryData: { b: "eA==" } }, { Data: 2 }],
  ])("%s %j", (kind, fields, expected) => {
    expect(row(kind, fields)).toMatchObject(expected);
  });
});
