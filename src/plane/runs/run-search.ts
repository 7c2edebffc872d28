import type { Run } from "../../runtime/runs/run.js";
import { defaultRunLimit, matchesRun, type RunQuery } from "../../runtime/runs/run-store.js";

/** Gathers the newest runs that match a query. Runs have to be offered newest first. */
export class RunSearch {
  /** Text in every line that can match, to find lines without parsing them all. */
  readonly text: string;
  readonly #query: RunQuery;
  readonly #limit: number;
  readonly #found = new Map<string, Run>();
  #isDone: boolean;

  constructor(query: RunQuery) {
    this.#query = query;
    this.#limit = query.limit ?? defaultRunLimit;
    this.#isDone = this.#limit === 0;
    this.text = searchText(query);
  }

  get isDone(): boolean {
    return this.#isDone;
  }

  /** Adds the run if it matches and has not been found yet. */
  offer(run: Run | undefined): void {
    if (run === undefined || this.#isDone || !matchesRun(run, this.#query)) return;
    if (run.id === this.#query.after) this.#isDone = true;
    else this.#found.set(run.id, run);
    if (this.#found.size === this.#limit) this.#isDone = true;
  }

  /** Oldest first. */
  result(): readonly Run[] {
    return [...this.#found.values()].reverse().sort((a, b) => endOf(a) - endOf(b));
  }
}

/** The most selective field of the query, as it is encoded in a line. */
function searchText({ key, uid, wrote, kind, controller }: RunQuery): string {
  const field = (name: string, value: string): string => `"${name}":${JSON.stringify(value)}`;
  if (key !== undefined) return field("key", key);
  if (uid !== undefined) return field("uid", uid);
  if (wrote !== undefined) return field("name", wrote.name);
  if (controller !== undefined) return field("controller", controller);
  if (kind !== undefined) return field("kind", typeof kind === "string" ? kind : kind.kind);
  return "{";
}

function endOf({ startedAt, duration }: Run): number {
  return startedAt + duration;
}
