import type { Run } from "./run.js";

/** Selects runs; a run has to match every field that is given. */
export interface RunQuery {
  /** Kind of the reconciled object: its name, or a kind with its group where several groups have a kind of that name. */
  readonly kind?: string | { readonly apiVersion: string; readonly kind: string } | undefined;
  /** `namespace/name` of the reconciled object. */
  readonly key?: string | undefined;
  /** Distinguishes an object from an earlier one of the same name. */
  readonly uid?: string | undefined;
  readonly controller?: string | undefined;
  /** Object that the run created, changed or deleted. */
  readonly wrote?: { readonly kind: string; readonly namespace: string; readonly name: string } | undefined;
  /** Milliseconds since 1970; selects runs that ended then or later. */
  readonly since?: number | undefined;
  /** Id of a run; selects runs that ended after it. Ignored when no such run is stored. */
  readonly after?: string | undefined;
  /** Maximum number of runs; the newest are returned. Default: 1000. */
  readonly limit?: number | undefined;
}

/** Record of the runs of a process. `fettle why`, `fettle top` and `/fettle/v1` read from it. */
export interface RunStore {
  /** Records a run. Returns at once and never throws. */
  add(run: Run): void;
  /** Returns the newest runs that match, oldest first. Covers every run that was added before the call. */
  find(query?: RunQuery): Promise<readonly Run[]>;
  /** Calls back with each run as it ends. Returns a function that unsubscribes. */
  follow(listener: (run: Run) => void): () => void;
}

export const defaultRunLimit = 1000;

/**
 * Calls back with the stored runs that match and then with each new one, in order and each once, until the signal aborts.
 * Resolves when all stored runs have been reported; when they cannot be read, only new runs are.
 */
export async function followFrom(
  store: RunStore,
  query: RunQuery,
  signal: AbortSignal,
  listener: (run: Run) => void,
): Promise<void> {
  const stored = store.find(query);
  let buffered: Run[] | undefined = [];
  const unsubscribe = store.follow((run) => {
    if (!matchesRun(run, query)) return;
    if (buffered === undefined) listener(run);
    else buffered.push(run);
  });
  signal.addEventListener("abort", unsubscribe, { once: true });
  const runs = await stored.catch(() => []);
  if (!signal.aborted) for (const run of [...runs, ...buffered]) listener(run);
  buffered = undefined;
}

/** Tests a run against all conditions of a query that concern a single run, which `after` and `limit` do not. */
export function matchesRun(run: Run, { kind, key, uid, controller, wrote, since = 0 }: RunQuery): boolean {
  return (
    (key === undefined || run.key === key) &&
    (kind === undefined || isKind(run, kind)) &&
    (uid === undefined || run.uid === uid) &&
    (controller === undefined || run.controller === controller) &&
    run.startedAt + run.duration >= since &&
    (wrote === undefined ||
      run.writes.some(
        ({ kind: { kind }, namespace, name }) =>
          kind === wrote.kind && namespace === wrote.namespace && name === wrote.name,
      ))
  );
}

function isKind(run: Run, kind: NonNullable<RunQuery["kind"]>): boolean {
  if (typeof kind === "string") return run.kind === kind;
  return run.kind === kind.kind && groupOf(run.apiVersion) === groupOf(kind.apiVersion);
}

/** Group of an apiVersion: `demo.dev` of `demo.dev/v1`, empty for `v1`. */
export function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf("/");
  return slash < 0 ? "" : apiVersion.slice(0, slash);
}
