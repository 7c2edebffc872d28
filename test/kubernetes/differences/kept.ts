import type { Comparable } from "../comparable.js";
import type { Difference } from "../difference.js";
import type { Step } from "../step.js";

/** A difference, and where it came up. */
export interface Found extends Difference {
  readonly step: Step;
  readonly answers: readonly [ours: Comparable, theirs: Comparable];
}

/** Something that is otherwise than in Kubernetes, on purpose. */
interface Kept {
  /** What is otherwise, and why, as the page of differences has it. */
  readonly why: string;
  /** Whether this is such a difference. */
  readonly covers: (found: Found) => boolean;
}

/** What is otherwise in one respect. */
export interface Theme {
  readonly title: string;
  readonly kept: readonly Kept[];
}

/** Whether it is a text for people to read. */
export function isMessage({ path }: Difference): boolean {
  return /(^body|\])\.(object\.)?message$/.test(path);
}

/** Whether both refused, or both did not, with the same code. */
export function sameCode({ answers: [ours, theirs] }: Found): boolean {
  return ours.code === theirs.code;
}

/** Whether the difference is somewhere in who owns what. */
export function isOwnership({ path }: Difference): boolean {
  return path.includes("metadata.managedFields");
}

/** The text that an answer has somewhere; empty when there is none. */
export function said(value: unknown): string {
  return typeof value === "string" ? value : "";
}
