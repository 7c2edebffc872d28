import type { KubeObject } from "../../model/core.js";
import type { ConflictReason } from "./merge.js";

/** A conflict between an object here and at a peer. */
export interface PeerConflict {
  readonly peer: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string | undefined;
  readonly name: string;
  readonly reason: ConflictReason;
  /** Side whose content the object here has afterwards; of `FieldOwned`, whose fields it has. */
  readonly kept: "ours" | "theirs";
  readonly message: string;
  /** Fields in conflict, where they are known: `.spec.title`. */
  readonly fields?: readonly string[] | undefined;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** Conflicts that are kept to be shown. */
const maxRecent = 100;
/** Objects of which the last conflict is remembered, so that it is reported once. */
const maxRemembered = 10_000;

/** Conflicts with one peer. A conflict that lasts is reported once, until another of the two sides changes. */
export class ConflictLog {
  /** Signature of the last conflict of each object, oldest first. */
  readonly #last = new Map<string, string>();
  readonly #recent: PeerConflict[] = [];
  readonly #report: (conflict: PeerConflict) => void;
  total = 0;

  constructor(report: (conflict: PeerConflict) => void) {
    this.#report = report;
  }

  /** Latest conflicts, newest first. */
  get recent(): readonly PeerConflict[] {
    return this.#recent.toReversed();
  }

  /** Adds a conflict of an object, unless it is the same as before: `signature` identifies the two sides. */
  add(conflict: PeerConflict, signature: string): void {
    const key = conflictKey(conflict);
    const text = `${conflict.reason} ${conflict.kept} ${signature}`;
    if (this.#last.get(key) === text) return;
    this.#last.delete(key);
    this.#last.set(key, text);
    for (const [oldest] of this.#last) {
      if (this.#last.size <= maxRemembered) break;
      this.#last.delete(oldest);
    }
    this.total++;
    this.#recent.push(conflict);
    if (this.#recent.length > maxRecent) this.#recent.shift();
    this.#report(conflict);
  }
}

function conflictKey({ apiVersion, kind, namespace, name }: PeerConflict): string {
  return `${apiVersion}/${kind} ${namespace ?? ""}/${name}`;
}

/** Sentence about a conflict. */
export function conflictMessage(
  reason: ConflictReason,
  kept: "ours" | "theirs",
  peer: string,
  { kind, metadata }: KubeObject,
  detail = "",
): string {
  const object = `${kind} ${metadata.namespace === undefined ? "" : `${metadata.namespace}/`}${metadata.name ?? ""}`;
  const outcome = kept === "ours" ? "the object here is kept" : `that of ${peer} is taken`;
  switch (reason) {
    case "Edited":
      return `${object} was edited here and on another plane; ${outcome}`;
    case "NameTaken":
      return `${object} was created here and on another plane; ${outcome}`;
    case "Deleted":
      return `${object} was edited here, but deleted at ${peer}; it is deleted here, too`;
    case "FieldOwned":
      return `${object} has fields that ${peer} sets to other values: ${detail}; those here are kept`;
    case "SchemaDiffers":
      return `${object} of ${peer} does not fit the definition of ${kind} here: ${detail}`;
  }
}
