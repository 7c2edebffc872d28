import type { Comparable } from "../comparable.js";
import type { Difference } from "../difference.js";
import type { Step } from "../step.js";

/** A difference and the request that showed it. */
export interface Found extends Difference {
  readonly step: Step;
  readonly answers: readonly [ours: Comparable, theirs: Comparable];
}

/** A difference from Kubernetes that is on purpose. */
interface KnownDifference {
  /** Description and reason, for the documentation. */
  readonly why: string;
  /** True for differences that this one explains. */
  readonly covers: (found: Found) => boolean;
}

/** Group of differences. */
export interface Theme {
  readonly title: string;
  readonly differences: readonly KnownDifference[];
}

/** True for differences in human-readable messages. */
export function isMessage({ path }: Difference): boolean {
  return /(^body|\])\.(object\.)?message$/.test(path);
}

/** True if both servers responded with the same code. */
export function sameCode({ answers: [ours, theirs] }: Found): boolean {
  return ours.code === theirs.code;
}

/** True for differences in managedFields. */
export function isOwnership({ path }: Difference): boolean {
  return path.includes("metadata.managedFields");
}

/** The value if it is a string, else an empty string. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
