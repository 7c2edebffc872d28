import type { KindInfo } from "../../client/kinds/kind.js";
import { createMergePatch, type Json, type KubeObject } from "../../model/core.js";
import type { EventInput } from "../../model/cloud-events/cloud-event.js";
import { jsonEqual } from "../../model/object/json.js";
import type { Resource } from "../../model/resource/resource-types.js";
import { hasStandardStatus } from "../../model/resource/standard-status.js";
import { fieldManagerOf } from "../controller/names.js";
import type { Requeue, Failed, Verdict, Wait } from "../controller/outcome.js";
import { Staged } from "./children/staged.js";
import { pruneChildren, writeChildren, type ChildrenContext } from "./children/write-children.js";
import { optimisticPatch, type PatchContext } from "./object/optimistic-patch.js";
import { StatusDraft, type MergeOptions, type StatusFields } from "./object/status-draft.js";
import type { RunContext } from "./run-context.js";
import type { Steps } from "./steps/steps.js";

/** Time limit for the status of a run that was cancelled, in milliseconds. */
const lastWriteTimeout = 10_000;

/** The object of a run, and everything that its reconciler has staged, reported and started so far. */
export class RunState {
  readonly context: RunContext;
  readonly object: KubeObject;
  readonly draft = new StatusDraft();
  readonly staged = new Staged();
  /** Events to publish after the writes. */
  emitted: EventInput[] | undefined;
  /** The verdict made last; one that is not returned has no effect. */
  lastVerdict: Verdict;
  readonly #patching: PatchContext;
  /** The object with the status written last, so that the next write does not conflict with it. */
  #latest: KubeObject;
  /** Work that was started and has not ended, awaited or not. */
  #pending: Set<Promise<unknown>> | undefined;
  #open = true;
  #steps: Steps | undefined;

  constructor(context: RunContext, object: KubeObject) {
    this.context = context;
    this.object = object;
    this.#latest = object;
    this.#patching = patchContextOf(context);
  }

  get steps(): Steps {
    this.#steps ??= this.context.steps;
    return this.#steps;
  }

  /** The steps, if the run has had any. */
  get usedSteps(): Steps | undefined {
    return this.#steps;
  }

  /** Throws once the run is over: what is staged or reported afterwards would be lost. */
  checkOpen(): void {
    if (!this.#open)
      throw new Error("the run is over: the call was not awaited, or came after the timeout of the run");
    this.context.signal.throwIfAborted();
  }

  close(): void {
    this.#open = false;
  }

  noteVerdict<T extends Wait | Requeue | Failed>(verdict: T): T {
    this.lastVerdict = verdict;
    return verdict;
  }

  /** Keeps track of work, so that the run does not end before it, awaited or not. */
  track<T>(work: Promise<T>): Promise<T> {
    const pending = (this.#pending ??= new Set());
    const ended = (): void => void pending.delete(work);
    pending.add(work);
    // Handled here too: a rejection that nobody awaits must fail the run, not the process.
    work.then(ended, ended);
    return work;
  }

  /** Resolves when all tracked work has succeeded; rejects with its first failure. */
  async pendingDone(): Promise<void> {
    if (this.#pending !== undefined) await Promise.all(this.#pending);
  }

  /** Resolves when all tracked work has ended. */
  async pendingSettled(): Promise<void> {
    if (this.#pending !== undefined) await Promise.allSettled(this.#pending);
  }

  /** Writes the children staged and the status reported so far. */
  async flush(): Promise<void> {
    const { planChildren, kind } = this.context;
    const children = this.staged.takeNew();
    if (planChildren !== undefined) return planChildren(children);
    await writeChildren(this.#children, children);
    if (!this.draft.isEmpty && isInApi(this.object) && statusOf(kind) !== "none") {
      await this.#write(this.draft, undefined);
    }
  }

  /** Writes the children, and deletes those that were not staged unless the reconciler waits for something. */
  async writeChildren(verdict: Verdict): Promise<void> {
    const { owns = [] } = this.context.options;
    if (this.staged.size === 0 && owns.length === 0) return;
    // After a permanent failure the children are left as they are.
    if (verdict?.type === "fail") return;
    await writeChildren(this.#children, this.staged.takeNew());
    if (verdict?.type === "wait") return;
    await pruneChildren(this.#children, owns, this.staged);
  }

  /** Writes the status at the end of a run. */
  async writeStatus(draft: StatusDraft): Promise<void> {
    const isOwn = statusOf(this.context.kind) === "own";
    await this.#write(draft, isOwn ? undefined : this.object.metadata.generation);
  }

  async #write(draft: StatusDraft, observedGeneration: number | undefined): Promise<void> {
    const { clock, signal } = this.context;
    // A run that was cancelled by its timeout still reports that.
    const patching = signal.aborted
      ? { ...this.#patching, signal: AbortSignal.timeout(lastWriteTimeout) }
      : this.#patching;
    const { generation } = this.object.metadata;
    const written = await writeStatus(patching, this.#latest, draft, {
      generation,
      observedGeneration,
      clock,
    });
    this.#latest = written ?? this.#latest;
    draft.markWritten();
  }

  get #children(): ChildrenContext {
    const { context, object } = this;
    const { transport, signal, applied } = context;
    return {
      owner: object,
      fieldManager: this.#patching.fieldManager,
      transport,
      signal,
      cacheOf: (kind) => context.cacheOf(kind),
      applied,
    };
  }
}

/**
 * Writes the status of a run in one request, or in none if nothing changed. Fields that others write stay: on a conflict the
 * status is read, and the draft merged into it again.
 */
function writeStatus(
  context: PatchContext,
  observed: KubeObject,
  draft: StatusDraft,
  options: MergeOptions,
): Promise<KubeObject | undefined> {
  const change = (object: KubeObject): { readonly status: Json } | undefined => {
    const before = (object.status ?? {}) as StatusFields;
    const after = draft.mergeInto(before, options) as unknown as Json;
    if (jsonEqual(before as unknown as Json, after)) return undefined;
    return { status: createMergePatch(before as unknown as Json, after) };
  };
  return optimisticPatch(context, observed, change, "status");
}

export function patchContextOf({ kind, transport, controllerName, signal }: RunContext): PatchContext {
  return { kind, transport, fieldManager: fieldManagerOf(controllerName), signal };
}

/** False for objects made by a poller from rows of its own: they have no uid, and cannot be written to. */
export function isInApi({ metadata }: KubeObject): boolean {
  return Boolean(metadata.uid);
}

/**
 * Form of the status of a kind: `standard` has the fields that the runtime sets, `own` has only those that its definition declares,
 * and `unknown` is that of a kind that was not made by `resource()`.
 */
export function statusOf(kind: KindInfo): "none" | "standard" | "own" | "unknown" {
  if (!("subresources" in kind && "schema" in kind)) return "unknown";
  const { subresources, schema } = kind as Pick<Resource, "subresources" | "schema">;
  if (!subresources.status) return "none";
  return hasStandardStatus(schema) ? "standard" : "own";
}
