import { resource, schema, type ObjectOf, type Spec } from "fettle";
import { z } from "zod";

// Command lines and environments cannot contain NUL.
// oxlint-disable-next-line no-control-regex
const text = z.string().regex(/^[^\x00]*$/);
// oxlint-disable-next-line no-control-regex
const variableName = z.string().regex(/^[^=\x00]+$/);
const signalName = z.enum([
  "SIGTERM",
  "SIGINT",
  "SIGQUIT",
  "SIGHUP",
  "SIGUSR1",
  "SIGUSR2",
  "SIGKILL",
  "SIGWINCH",
]);

const keyRef = z.object({ name: z.string(), key: z.string(), optional: z.boolean().default(false) });

const variable = schema.rule(
  z.object({
    name: variableName,
    value: text.optional(),
    valueFrom: schema
      .rule(
        z.object({ configMapKeyRef: keyRef.optional(), secretKeyRef: keyRef.optional() }),
        "has(self.configMapKeyRef) != has(self.secretKeyRef)",
        "set either configMapKeyRef or secretKeyRef",
      )
      .optional(),
  }),
  "!(has(self.value) && has(self.valueFrom))",
  "set either value or valueFrom",
);

const port = z.object({
  name: z.string().regex(/^[a-z0-9]([-a-z0-9]{0,13}[a-z0-9])?$/),
  /** 0 allocates a free port and keeps it. */
  port: z.int().min(0).max(65_535).default(0),
  host: z.string().default("127.0.0.1"),
});

const probeShape = {
  http: z
    .object({
      /** Number or name of a port. Default: the first one. */
      port: schema.intOrString().optional(),
      host: z.string().optional(),
      path: z.string().startsWith("/").default("/"),
      headers: z.record(z.string(), z.string()).default({}),
    })
    .optional(),
  tcp: z.object({ port: schema.intOrString().optional(), host: z.string().optional() }).optional(),
  exec: z.object({ command: z.array(text).min(1).max(1000) }).optional(),
  /** Succeeds once a line of the output has matched the pattern (RE2). */
  log: z.object({ pattern: z.string().min(1).max(1000) }).optional(),
  /** Succeeds once the process has written a line to this descriptor, whose number is in `$NOTIFY_FD`. */
  notify: z.object({ descriptor: z.int().min(3).max(255).default(3) }).optional(),
  initialDelay: schema.duration().default("0s"),
  period: schema.duration().default("10s"),
  timeout: schema.duration().default("1s"),
  successThreshold: z.int().min(1).default(1),
  failureThreshold: z.int().min(1).default(3),
};
const oneCheck = [
  "[has(self.http), has(self.tcp), has(self.exec), has(self.log), has(self.notify)].filter(x, x).size() == 1",
  "set exactly one of http, tcp, exec, log and notify",
] as const;
const probe = () => schema.rule(z.object(probeShape), ...oneCheck);
/** A line of output or a notification happens once, so that it proves nothing about later. */
const livenessProbe = () =>
  schema.rule(
    z.object({ http: probeShape.http, tcp: probeShape.tcp, exec: probeShape.exec, ...timing() }),
    "[has(self.http), has(self.tcp), has(self.exec)].filter(x, x).size() == 1",
    "set exactly one of http, tcp and exec",
  );
function timing() {
  const { initialDelay, period, timeout, successThreshold, failureThreshold } = probeShape;
  return { initialDelay, period, timeout, successThreshold, failureThreshold };
}

/** Fields that describe what is executed and how it is supervised: the spec of a Process, and the template of a ProcessSet. */
const processShape = {
  /** Program and first arguments; no shell. `$(NAME)` is replaced by the variable of that name. */
  command: z.array(text).min(1).max(1000),
  args: z.array(text).max(1000).default([]),
  env: schema.listMap(z.array(variable), ["name"]).default([]),
  user: z.string().min(1).optional(),
  group: z.string().min(1).optional(),
  workingDir: z.string().startsWith("/").optional(),
  ports: schema.listMap(z.array(port), ["name"]).default([]),
  limits: z
    .object({
      memory: schema.quantity().optional(),
      cpu: schema.quantity().optional(),
      pids: z.int().min(1).optional(),
    })
    .prefault({}),
  restart: z
    .object({
      policy: z.enum(["Always", "OnFailure", "Never"]).default("Always"),
      /** Delay before a restart; it doubles with every failure, and starts again after a run of `resetAfter`. */
      backoff: z
        .object({
          initial: schema.duration().default("1s"),
          max: schema.duration().default("5m"),
          resetAfter: schema.duration().default("10m"),
        })
        .prefault({}),
      /** Restarts within an interval after which the process is given up; 0 for no limit. */
      startLimit: z
        .object({ burst: z.int().min(0).default(0), interval: schema.duration().default("1m") })
        .prefault({}),
      successExitCodes: z.array(z.int().min(0).max(255)).default([0]),
    })
    .prefault({}),
  stop: z
    .object({ signal: signalName.default("SIGTERM"), grace: schema.duration().default("10s") })
    .prefault({}),
  /** Signal for `fettle reload`. */
  reload: z.object({ signal: signalName.default("SIGHUP") }).optional(),
  startupProbe: probe().optional(),
  readinessProbe: probe().optional(),
  livenessProbe: livenessProbe().optional(),
  /** Processes of the same namespace that have to be there first. */
  dependsOn: schema
    .listMap(
      z.array(
        z.object({
          name: z.string(),
          condition: z.enum(["Started", "Ready", "Completed"]).default("Ready"),
        }),
      ),
      ["name"],
    )
    .default([]),
  logs: z
    .object({
      maxSize: schema.quantity().default("10Mi"),
      maxFiles: z.int().min(1).max(100).default(5),
      /** Earlier attempts whose logs are kept. */
      history: z.int().min(1).max(100).default(5),
    })
    .prefault({}),
};
const exit = z.object({
  attempt: z.int(),
  cause: z.enum(["Exited", "Signaled", "NotStarted", "Rebooted", "Unknown"]),
  code: z.int().optional(),
  signal: z.string().optional(),
  oomKilled: z.boolean().optional(),
  /** Descendants that were still running when it ended, and were killed. */
  leftovers: z.int().optional(),
  message: z.string(),
  startedAt: z.string().optional(),
  finishedAt: z.string(),
});

/** A supervised process of the operating system. */
export const Process = resource("process.fettle.dev/v1", "Process", {
  shortNames: ["proc"],
  categories: ["all"],
  spec: z.object({
    ...processShape,
    /** Stops the process until it is set to false again. */
    suspend: z.boolean().default(false),
    /** Runs the process as a task at these times, instead of all the time. */
    schedule: z
      .object({
        cron: z.string().min(1),
        timeZone: z.string().default("UTC"),
        /** Age up to which a missed run is still started. Default: missed runs are not started. */
        startingDeadline: schema.duration().optional(),
      })
      .optional(),
  }),
  status: z.object({
    state: z.enum([
      "Pending",
      "Starting",
      "Running",
      "Stopping",
      "Stopped",
      "Backoff",
      "Completed",
      "Failed",
    ]),
    attempt: z.int(),
    pid: z.int(),
    startTicks: z.int(),
    bootId: z.string(),
    startedAt: z.string(),
    adopted: z.boolean(),
    restarts: z.int(),
    lastExit: exit,
    /** Exits of earlier attempts, oldest first. */
    exits: z.array(exit),
    ports: z.record(z.string(), z.int()),
    /** Means of finding descendants that left the process group. */
    tracking: z.enum(["Cgroup", "Subreaper", "ProcessGroup"]),
    cpuSeconds: z.number(),
    memoryBytes: z.number(),
    pids: z.int(),
    /** When the processor time, memory and number of processes were measured. */
    usageAt: z.string(),
    host: z.string(),
    nextRun: z.string(),
    /** Value of the annotation that was acted upon last. */
    reloadedAt: z.string(),
  }),
  columns: [
    { name: "State", path: ".status.state" },
    { name: "PID", path: ".status.pid" },
    { name: "Restarts", path: ".status.restarts" },
    { name: "Last Exit", path: ".status.lastExit.message", priority: 1 },
    { name: "Command", path: ".spec.command", priority: 1 },
  ],
});

/** A number of processes made from one template. */
export const ProcessSet = resource("process.fettle.dev/v1", "ProcessSet", {
  shortNames: ["ps", "procset"],
  categories: ["all"],
  scale: { specReplicas: ".spec.replicas", statusReplicas: ".status.replicas", selector: ".status.selector" },
  spec: z.object({
    replicas: z.int().min(0).max(1000).default(1),
    template: z.object({
      labels: z.record(z.string(), z.string()).default({}),
      annotations: z.record(z.string(), z.string()).default({}),
      spec: z.object(processShape),
    }),
    /** Stops all processes until it is set to false again. */
    suspend: z.boolean().default(false),
    update: z
      .object({
        /** Processes that may be unavailable during an update: a number, or a percentage such as `25%`. */
        maxUnavailable: schema
          .rule(
            schema.intOrString(),
            "type(self) == int ? self >= 1 : self.matches('^[1-9][0-9]*%$')",
            "use a number from 1, or a percentage such as 25%; with 0, no process could ever be replaced",
          )
          .default(1),
        /** Time within which an updated process has to become ready. */
        progressDeadline: schema.duration().default("10m"),
        /** What to do when an updated process fails: stop updating, or return to the last template that worked. */
        onFailure: z.enum(["Pause", "Rollback"]).default("Pause"),
      })
      .prefault({}),
    /** Stops the update where it is. */
    paused: z.boolean().default(false),
    revisionHistoryLimit: z.int().min(0).default(10),
  }),
  status: z.object({
    replicas: z.int(),
    readyReplicas: z.int(),
    updatedReplicas: z.int(),
    unavailableReplicas: z.int(),
    /** Hash of the template that is rolled out. */
    updateRevision: z.string(),
    /** Hash of the last template with which all processes were ready. */
    currentRevision: z.string(),
    /** Template that failed, so that the set returned to the last one that worked. */
    failedRevision: z.object({ revision: z.string(), reason: z.string() }),
    selector: z.string(),
  }),
  columns: [
    { name: "Desired", path: ".spec.replicas" },
    { name: "Ready", path: ".status.readyReplicas" },
    { name: "Updated", path: ".status.updatedReplicas" },
  ],
});

export type ProcessSpec = Spec<typeof Process>;
export type ProcessObject = ObjectOf<typeof Process>;
export type ProcessSetObject = ObjectOf<typeof ProcessSet>;
export type ProbeSpec = NonNullable<ProcessSpec["startupProbe"]>;

/** Set to the current time to restart a process, as `kubectl rollout restart` does. */
export const restartedAt = "process.fettle.dev/restartedAt";
/** Set to the current time to send the reload signal. */
export const reloadedAt = "process.fettle.dev/reloadedAt";
/** Label of the processes of a set: its name. */
export const setLabel = "process.fettle.dev/set";
