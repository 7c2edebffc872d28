import { duration, resource, type ObjectOf } from "fettle";
import { z } from "zod";

const phases = ["PENDING", "PROVISIONING", "RUNNING", "COMPLETED", "FAILED", "TIMEOUT"] as const;

/** Request for a container that runs from a start time for a duration. */
export const LabInstanceRequest = resource("labs.example.io/v1", "LabInstanceRequest", {
  shortNames: ["lab"],
  spec: z.object({
    image: z.string(),
    scheduledStart: z.iso.datetime(),
    duration: z.string().regex(/^\d+[mh]$/),
  }),
  status: z.object({ phase: z.enum(phases), container: z.string(), startedAt: z.iso.datetime() }),
  columns: [
    { name: "Start", path: ".spec.scheduledStart" },
    { name: "Duration", path: ".spec.duration" },
    { name: "Phase", path: ".status.phase" },
  ],
});

export type Lab = ObjectOf<typeof LabInstanceRequest>;

/** Phases of a lab and their transitions; the last three phases are final. */
export const lifecycle = {
  initial: "PENDING",
  transitions: {
    PENDING: ["PROVISIONING"],
    PROVISIONING: ["RUNNING", "FAILED"],
    RUNNING: ["COMPLETED", "FAILED", "TIMEOUT"],
    COMPLETED: [],
    FAILED: [],
    TIMEOUT: [],
  },
} as const;

export type End = "COMPLETED" | "FAILED" | "TIMEOUT";

export type ContainerState = "starting" | "running" | "stopped" | "error";

export function containerOf({ metadata }: Lab): string {
  return `${metadata.namespace}-${metadata.name}`;
}

export function timeUntilStart({ spec }: Lab, now: number): number {
  return Date.parse(spec.scheduledStart) - now;
}

export function timeUntilExpiry({ spec, status }: Lab, now: number): number {
  return Date.parse(status?.startedAt ?? spec.scheduledStart) + duration(spec.duration) - now;
}

/** Final phase of a lab that has ended or expired; undefined while it runs. */
export function endOf(lab: Lab, container: ContainerState, now: number): End | undefined {
  if (container === "stopped") return "COMPLETED";
  if (container === "error") return "FAILED";
  return timeUntilExpiry(lab, now) <= 0 ? "TIMEOUT" : undefined;
}
