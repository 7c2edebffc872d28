import { resource, schema, type ObjectOf, type Spec } from "fettle";
import { z } from "zod";

const apiVersion = "wasm.fettle.dev/v1";
const categories = ["wasm"];
const digest = z.string().regex(/^sha256:[0-9a-f]{64}$/);
const base64 = z.string().regex(/^[A-Za-z0-9+/]+={0,2}$/);
const percentage = () => z.int().min(0).max(100);

/** A server that devices connect to. Without `url`, it runs in the process of the operator. */
export const DeviceGateway = resource(apiVersion, "DeviceGateway", {
  shortNames: ["wgw"],
  categories,
  spec: z.object({
    /** HTTP API of a gateway that runs elsewhere, such as `http://wasmbed-gateway:8080`. */
    url: z
      .url()
      .regex(/^https?:\/\//)
      .optional(),
    /** Secret of the same namespace with the `token` of the HTTP API. */
    tokenSecret: z.string().min(1).optional(),
    /** Address for devices; port 0 allocates one and keeps it. */
    listen: z
      .object({ host: z.string().default("127.0.0.1"), port: z.int().min(0).max(65_535).default(0) })
      .prefault({}),
    heartbeat: z
      .object({
        interval: schema.duration().default("10s"),
        /** A device that was silent for so long is disconnected. */
        timeout: schema.duration().default("30s"),
      })
      .prefault({}),
    /** What happens to devices with unknown keys: they become Devices that wait for approval, or are turned away. */
    enrolment: z.enum(["Approval", "Closed"]).default("Approval"),
  }),
  status: z.object({
    /** Address that devices connect to. */
    address: z.string(),
    /** SHA-256 of the gateway's public key, which devices compare. */
    fingerprint: z.string(),
    connected: z.int(),
    pending: z.int(),
    lastSeen: z.string(),
  }),
  columns: [
    { name: "Address", path: ".status.address" },
    { name: "Connected", path: ".status.connected" },
    { name: "Pending", path: ".status.pending" },
  ],
});

/** A device, known by its public key. */
export const Device = resource(apiVersion, "Device", {
  shortNames: ["wdev"],
  categories,
  spec: z.object({
    /** SubjectPublicKeyInfo (DER) in base64. */
    publicKey: base64,
    /** DeviceGateway of the same namespace. */
    gateway: z.string().min(1).default("default"),
    /** Admits the device. Devices that enrolled themselves wait until somebody sets it. */
    approved: z.boolean().default(true),
    capabilities: z
      .object({
        /** Memory for modules. */
        memory: schema.quantity().optional(),
        features: z.array(z.string()).default([]),
      })
      .prefault({}),
  }),
  status: z.object({
    phase: z.enum(["Pending", "Connected", "Disconnected"]),
    gateway: z.string(),
    lastHeartbeat: z.string(),
    connectedAt: z.string(),
    agent: z.string(),
    message: z.string(),
  }),
  columns: [
    { name: "Phase", path: ".status.phase" },
    { name: "Gateway", path: ".status.gateway" },
    { name: "Heartbeat", path: ".status.lastHeartbeat", type: "date" },
  ],
});

/** A WebAssembly module that applications can share. */
export const Module = resource(apiVersion, "Module", {
  shortNames: ["wmod"],
  categories,
  spec: schema.rule(
    z.object({
      /** Bytes in base64. */
      bytes: base64.optional(),
      /** Path of a file on the machine of the operator, below the folders that it is allowed to read. */
      file: z.string().startsWith("/").optional(),
      /** Digest that the bytes have to have. */
      digest: digest.optional(),
    }),
    "has(self.bytes) != has(self.file)",
    "set either bytes or file",
  ),
  status: z.object({ digest, size: z.int(), memoryPages: z.int(), imports: z.array(z.string()) }),
  columns: [
    { name: "Digest", path: ".status.digest" },
    { name: "Size", path: ".status.size" },
  ],
});

const limits = z
  .object({
    memory: schema.quantity().default("16Mi"),
    /** Time after which a module is ended. Default: none. */
    time: schema.duration().optional(),
  })
  .prefault({});
const retry = z
  .object({
    attempts: z.int().min(1).max(20).default(3),
    initialDelay: schema.duration().default("1s"),
    maxDelay: schema.duration().default("30s"),
    factor: z.number().min(1).max(10).default(2),
  })
  .prefault({});
const variable = z.object({ name: z.string().regex(/^[^=]+$/), value: z.string() });

/** Why something failed on a device. */
export const failureReasons = [
  "DeviceDisconnected",
  "Refused",
  "InvalidModule",
  "DigestMismatch",
  "Trap",
  "Exit",
  "TimeLimit",
  "MemoryLimit",
  "Timeout",
  "GatewayDown",
] as const;
const failure = z.object({ reason: z.enum(failureReasons), message: z.string(), at: z.string().optional() });

const devicePhases = [
  "Pending",
  "Deploying",
  "Running",
  "Completed",
  "Stopping",
  "Stopped",
  "Failed",
] as const;

/** A module on devices. */
export const Application = resource(apiVersion, "Application", {
  shortNames: ["wapp"],
  categories,
  spec: schema.rule(
    z.object({
      /** Bytes of the module in base64. */
      wasmBytes: base64.optional(),
      /** Module of the same namespace. */
      module: z.string().min(1).optional(),
      targetDevices: z
        .object({
          names: z.array(z.string()).max(10_000).default([]),
          /** Labels that devices have to have. `{}` matches none, unless `all` is set. */
          selector: z.object({ matchLabels: z.record(z.string(), z.string()).default({}) }).optional(),
          all: z.boolean().default(false),
        })
        .prefault({}),
      args: z.array(z.string()).max(100).default([]),
      env: schema.listMap(z.array(variable), ["name"]).default([]),
      limits,
      retry,
      desired: z.enum(["Running", "Stopped"]).default("Running"),
      /** Deploys to groups of devices, one after another. Default: to all at once, and what succeeded is kept. */
      rollout: z
        .object({
          /** Sizes of the groups in percent of all devices; what is left is the last group. */
          groups: z.array(z.int().min(1).max(100)).min(1).max(100).default([10, 50]),
          /** Devices of a group, in percent, that have to succeed before the next group begins. */
          successThreshold: percentage().default(100),
          /** Failed devices of a group, in percent, above which the rollout stops. */
          errorThreshold: percentage().default(0),
          onFailure: z.enum(["Stop", "Rollback"]).default("Rollback"),
        })
        .optional(),
    }),
    "has(self.wasmBytes) != has(self.module)",
    "set either wasmBytes or module",
  ),
  status: z.object({
    phase: z.enum(["Creating", "Deploying", "Running", "PartiallyRunning", "Stopping", "Stopped", "Failed"]),
    message: z.string(),
    /** Why the phase is Failed. */
    reason: z.enum(["NoDevices", "InvalidModule", "DeploymentFailed", "RolloutFailed"]),
    digest,
    devices: z.object({
      target: z.int(),
      deployed: z.int(),
      running: z.int(),
      completed: z.int(),
      failed: z.int(),
      stopped: z.int(),
    }),
    /** The first devices by name, those that failed first. DeviceApplications have all. */
    deviceStatuses: z.array(
      z.object({
        device: z.string(),
        phase: z.enum(devicePhases),
        reason: z.string().optional(),
        message: z.string().optional(),
      }),
    ),
    rollout: z.object({
      /** Release that is rolled out: digest and settings. */
      release: z.string(),
      /** Group that is being deployed, from 1. */
      group: z.int(),
      groups: z.int(),
      state: z.enum(["Progressing", "Succeeded", "Stopped", "RollingBack", "RolledBack"]),
      message: z.string(),
    }),
    /** Last release that ran on the devices as wanted, to return to. */
    lastGood: z.object({ release: z.string(), digest, spec: z.string() }),
    /** Values of the annotations that were acted upon last. */
    restartedAt: z.string(),
    retriedAt: z.string(),
    lastTransition: z.string(),
  }),
  columns: [
    { name: "Phase", path: ".status.phase" },
    { name: "Running", path: ".status.devices.running" },
    { name: "Devices", path: ".status.devices.target" },
    { name: "Message", path: ".status.message", priority: 1 },
  ],
});

/** An application on one device. Created for each target device of an Application, and owned by it. */
export const DeviceApplication = resource(apiVersion, "DeviceApplication", {
  shortNames: ["wda"],
  categories,
  spec: z.object({
    application: z.string(),
    device: z.string(),
    gateway: z.string(),
    /** Identifies what is deployed: a device that has it already does not start it again. */
    deployment: z.string(),
    /** Digest of the module; its bytes come from the Module or the Application. */
    digest,
    args: z.array(z.string()).default([]),
    env: schema.listMap(z.array(variable), ["name"]).default([]),
    limits,
    retry,
    desired: z.enum(["Running", "Stopped"]).default("Running"),
  }),
  status: z.object({
    phase: z.enum(devicePhases),
    deployment: z.string(),
    attempts: z.int(),
    message: z.string(),
    failure,
    exitCode: z.int(),
    startedAt: z.string(),
    finishedAt: z.string(),
  }),
  columns: [
    { name: "Device", path: ".spec.device" },
    { name: "Phase", path: ".status.phase" },
    { name: "Message", path: ".status.message", priority: 1 },
  ],
});

export type DeviceGatewayObject = ObjectOf<typeof DeviceGateway>;
export type DeviceObject = ObjectOf<typeof Device>;
export type ModuleObject = ObjectOf<typeof Module>;
export type ApplicationObject = ObjectOf<typeof Application>;
export type ApplicationSpec = Spec<typeof Application>;
export type DeviceApplicationObject = ObjectOf<typeof DeviceApplication>;
export type DeviceApplicationSpec = Spec<typeof DeviceApplication>;
export type FailureReason = (typeof failureReasons)[number];

/** Set to the current time to restart an application on all of its devices. */
export const restartedAt = "wasm.fettle.dev/restartedAt";
/** Set to the current time to try failed devices again. */
export const retriedAt = "wasm.fettle.dev/retriedAt";
/** Label of DeviceApplications: the name of their Application. */
export const applicationLabel = "wasm.fettle.dev/application";
/** Label of DeviceApplications: the name of their Device. */
export const deviceLabel = "wasm.fettle.dev/device";
