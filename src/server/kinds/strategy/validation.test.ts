import { describe, expect, test } from "vitest";
import { fieldErrors, type KubeObject } from "../../../model/core.js";
import { faults, read, typeOf, updateFaults } from "./fixtures/apply-rules.js";

const container = { name: "c", image: "i:1" };
const selected = {
  selector: { matchLabels: { app: "a" } },
  template: { metadata: { labels: { app: "a" } }, spec: { containers: [container] } },
};
const job = { template: { spec: { restartPolicy: "Never", containers: [container] } } };
const ports = [{ port: 80 }];

/** An ingress with one path. */
function ingress(path: string, pathType = "Prefix"): object {
  const backend = { service: { name: "s", port: { number: 80 } } };
  return { rules: [{ http: { paths: [{ path, pathType, backend }] } }] };
}

describe("a create is refused", () => {
  test.each<[kind: string, spec: object, fault: RegExp]>([
    [
      "Pod",
      { containers: [{ ...container, restartPolicy: "Always" }] },
      /may not be set for non-init containers/,
    ],
    [
      "Deployment",
      { ...selected, strategy: { type: "Recreate", rollingUpdate: { maxSurge: 1 } } },
      /may not be specified when strategy `type` is 'Recreate'/,
    ],
    [
      "Job",
      { ...job, completionMode: "Indexed", parallelism: 1 },
      /^spec\.completions: Required value: when completion mode is Indexed/,
    ],
    [
      "CronJob",
      { schedule: "* * * * *", timeZone: "Local", jobTemplate: { spec: job } },
      /timeZone must be an explicit time zone/,
    ],
    [
      "CronJob",
      { schedule: "* * * * *", timeZone: "", jobTemplate: { spec: job } },
      /timeZone must be nil or non-empty string/,
    ],
    [
      "CronJob",
      { schedule: "* * * * *", timeZone: "Mars/Crater", jobTemplate: { spec: job } },
      /unknown time zone Mars\/Crater/,
    ],
    ["CronJob", { schedule: "1-2-3 * * * *", jobTemplate: { spec: job } }, /too many hyphens: 1-2-3/],
    [
      "CronJob",
      { schedule: "*/-5 * * * *", jobTemplate: { spec: job } },
      /negative number \(-5\) not allowed: -5/,
    ],
    [
      "CronJob",
      { schedule: "*/0 * * * *", jobTemplate: { spec: job } },
      /step of range should be a positive number/,
    ],
    ["CronJob", { schedule: "*/1/2 * * * *", jobTemplate: { spec: job } }, /too many slashes/],
    [
      "Service",
      { ports, type: "NodePort", clusterIP: "None", clusterIPs: ["None"] },
      /may not be set to 'None' for NodePort services/,
    ],
    [
      "Service",
      { ports, type: "LoadBalancer", clusterIP: "None", clusterIPs: ["None"] },
      /may not be set to 'None' for LoadBalancer services/,
    ],
    [
      "Service",
      { type: "ExternalName", externalName: "a.b", clusterIPs: ["10.0.0.1"] },
      /may not be set for ExternalName services/,
    ],
    ["Ingress", ingress("/a/.."), /cannot end with '\/\.\.'/],
    ["Ingress", ingress("/a/."), /cannot end with '\/\.'/],
    ["Ingress", ingress("/a//b", "Exact"), /must not contain '\/\/'/],
    [
      "PersistentVolumeClaim",
      { accessModes: ["ReadWriteOncePod", "ReadOnlyMany"], resources: { requests: { storage: "1Gi" } } },
      /may not use ReadWriteOncePod with other access modes/,
    ],
    [
      "LimitRange",
      { limits: [{ type: "Region", max: { cpu: "1" } }] },
      /must be a standard limit type or fully qualified/,
    ],
    ["LimitRange", { limits: [{ type: "PersistentVolumeClaim" }] }, /limits/],
  ])("%s %j", (kind, spec, fault) => {
    expect(faults(kind, spec)).toContainEqual(expect.stringMatching(fault));
  });

  test.each<[kind: string, fields: object, fault: RegExp]>([
    [
      "EndpointSlice",
      { addressType: "IPv4", endpoints: [{ addresses: ["::1"] }] },
      /must be an IPv4 address/,
    ],
    [
      "EndpointSlice",
      { addressType: "IPv6", endpoints: [{ addresses: ["10.0.0.1"] }] },
      /must be an IPv6 address/,
    ],
    [
      "EndpointSlice",
      { addressType: "IPv4", endpoints: [{ addresses: [] }] },
      /must contain at least 1 address/,
    ],
    ["ControllerRevision", { revision: -1 }, /data is mandatory/],
    [
      "Secret",
      { type: "kubernetes.io/dockerconfigjson", data: { ".dockerconfigjson": base64("{x") } },
      /it is not valid JSON/,
    ],
    [
      "Secret",
      { type: "kubernetes.io/dockercfg", data: { ".dockercfg": base64("") } },
      /unexpected end of JSON input/,
    ],
    ["Secret", { type: "kubernetes.io/tls", data: {} }, /^data\[tls\.crt\]: Required value/],
    ["Secret", { type: "kubernetes.io/ssh-auth", data: {} }, /^data\[ssh-privatekey\]: Required value/],
  ])("%s %j", (kind, fields, fault) => {
    expect(faults(kind, {}, fields)).toContainEqual(expect.stringMatching(fault));
  });

  test("but not for the nearest valid object", () => {
    expect(faults("Deployment", { ...selected, strategy: { type: "Recreate" } })).toEqual([]);
    expect(
      faults("CronJob", {
        schedule: "*/5 1-3 * * mon-fri",
        timeZone: "Europe/Berlin",
        jobTemplate: { spec: job },
      }),
    ).toEqual([]);
    expect(faults("Service", { ports, clusterIP: "None", clusterIPs: ["None"] })).toEqual([]);
    expect(faults("Ingress", ingress("/a/..b"))).toEqual([]);
    expect(faults("LimitRange", { limits: [{ type: "demo.dev/Region", max: { cpu: "1" } }] })).toEqual([]);
    expect(faults("EndpointSlice", {}, { addressType: "IPv6", endpoints: [{ addresses: ["::1"] }] })).toEqual(
      [],
    );
    const data = { ".dockerconfigjson": base64("{}") };
    expect(faults("Secret", {}, { type: "kubernetes.io/dockerconfigjson", data })).toEqual([]);
  });
});

describe("an update is refused", () => {
  test("that removes the deadline of a pod", () => {
    const before = { containers: [container], activeDeadlineSeconds: 60 };
    expect(updateFaults("Pod", { containers: [container] }, before)).toEqual([
      "spec.activeDeadlineSeconds: Invalid value: null: must not update from a positive integer to nil value",
    ]);
    expect(updateFaults("Pod", { ...before, activeDeadlineSeconds: 30 }, before)).toEqual([]);
  });

  test.each([
    [undefined, "Terminating", ["may only be 'Active' if `deletionTimestamp` is empty"]],
    ["2026-01-01T00:00:00Z", "Active", ["may only be 'Terminating' if `deletionTimestamp` is not empty"]],
    ["2026-01-01T00:00:00Z", "Terminating", []],
  ])(
    "that gives a namespace with deletionTimestamp %j the phase %s: %j",
    (deletionTimestamp, phase, details) => {
      const of = (status: object): KubeObject => {
        const metadata = { name: "it", deletionTimestamp };
        return read("Namespace", {}, { metadata, status });
      };
      const [draft, old] = [of({ phase }), of({ phase: "Other" })];
      const errors = typeOf("Namespace").strategy.validateUpdate?.(draft, old) ?? [];
      expect(errors.map(fieldErrors.renderFieldError)).toEqual(
        details.map((detail) => `status.Phase: Invalid value: "${phase}": ${detail}`),
      );
    },
  );
});

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}
