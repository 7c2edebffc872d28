import { asApiError, duration, type KubeObject } from "../../model/core.js";
import { Staged } from "../children/staged.js";
import {
  NameTakenError,
  pruneChildren,
  writeChildren,
  type ChildrenContext,
} from "../children/write-children.js";
import { cancellable } from "../loop/cancellable.js";
import { hasFinalizer, setFinalizer } from "../finalizer.js";
import type { PatchContext } from "../optimistic-patch.js";
import { PermanentError, type Again, type Failed, type Verdict, type Wait } from "../outcome.js";
import type { RunOutcome } from "../runs/run.js";
import { isReason } from "../status/reason.js";
import { StatusDraft } from "../status/status-draft.js";
import { writeStatus } from "../status/write-status.js";
import { HandOver, StepError } from "../steps/steps.js";
import { observe } from "./observed.js";
import { fieldManagerOf, finalizerOf, type ProseContext } from "./prose-context.js";
import { wordsOf, type Words } from "./words.js";

/** How long writing the last word about a cancelled run may take. */
const lastWord = 10_000;

/** What became of a run. */
export interface ProseEnd {
  readonly outcome: RunOutcome;
  /** Milliseconds that a dependency asks to be left alone. */
  readonly retryAfter?: number | undefined;
  /** The function goes on although its run was cancelled: until it ends, the object must not be run again. */
  readonly lingering?: Promise<unknown> | undefined;
  /** What would have been written, when it was a plan. */
  readonly staged: Staged;
}

/**
 * One run of a controller for one object, as the cache has it.
 *
 * A finalizer is there before anything else is done, so that nothing is done that is not taken back. After the function
 * has returned, children are written, then (if all went well) pruned, and last of all the status, which thus never claims
 * what has not happened. A run that fails still reports why.
 */
export async function runProse(context: ProseContext, found: KubeObject): Promise<ProseEnd> {
  const { options, controllerName, planning } = context;
  const finalizer = finalizerOf(options, controllerName);
  const patching: PatchContext = {
    kind: context.kind,
    transport: context.transport,
    fieldManager: fieldManagerOf(controllerName),
    signal: context.signal,
  };
  const staged = new Staged();
  const gone: ProseEnd = { outcome: { type: "gone" }, staged };
  let object: KubeObject | undefined = found;
  const leaving = Boolean(object.metadata.deletionTimestamp);
  if (leaving && (options.cleanup === undefined || !hasFinalizer(object, finalizer))) {
    if (!planning && hasFinalizer(object, finalizer)) await setFinalizer(patching, object, finalizer, false);
    return gone;
  }
  if (!leaving && !planning && isInApi(object)) {
    const wanted = options.cleanup !== undefined;
    if (hasFinalizer(object, finalizer) !== wanted) {
      object = await setFinalizer(patching, object, finalizer, wanted);
      // One that is being deleted by now could not get it, and what would be done could not be taken back.
      if (object === undefined || object.metadata.deletionTimestamp) return gone;
    }
  } else if (options.cleanup !== undefined && !isInApi(object) && !planning) {
    throw new PermanentError(
      "NoFinalizer",
      `${object.kind} ${object.metadata.name} comes from elsewhere than the API, where nothing can hold it back until cleanup has run: leave cleanup out, or keep the objects in the API`,
    );
  }
  const run = new ProseRun(context, patching, object, staged);
  const end = await run.run(leaving ? "cleanup" : "reconcile");
  if (leaving && end.outcome.type === "done" && !planning) {
    await setFinalizer(patching, object, finalizer, false);
    return { ...end, outcome: { type: "gone" } };
  }
  return end;
}

/** What a poller makes of rows of its own has no uid: there is no object that could be written to. */
function isInApi({ metadata }: KubeObject): boolean {
  return Boolean(metadata.uid);
}

class ProseRun implements Words {
  readonly context: ProseContext;
  readonly object: KubeObject;
  readonly draft = new StatusDraft();
  readonly staged: Staged;
  readonly #patching: PatchContext;
  #begun: Set<Promise<unknown>> | undefined;
  #said: Verdict;
  #open = true;
  #lingering: Promise<unknown> | undefined;

  constructor(context: ProseContext, patching: PatchContext, object: KubeObject, staged: Staged) {
    this.context = context;
    this.#patching = patching;
    this.object = object;
    this.staged = staged;
  }

  get children(): ChildrenContext {
    const { context, object } = this;
    const { transport, signal, applied } = context;
    return {
      owner: object,
      fieldManager: this.#patching.fieldManager,
      transport,
      signal,
      cacheOf: (kind) => context.cacheOf(kind),
      applied,
      onDrift: (child, current) => context.onDrift?.(object, child, current),
    };
  }

  checkOpen(): void {
    if (!this.#open)
      throw new Error("the run is over: something was not awaited, or went on after its time was up");
    this.context.signal.throwIfAborted();
  }

  say<T extends Wait | Again | Failed>(verdict: T): T {
    this.#said = verdict;
    return verdict;
  }

  follow<T>(work: Promise<T>): Promise<T> {
    const begun = (this.#begun ??= new Set());
    const ended = (): void => void begun.delete(work);
    begun.add(work);
    // Handled here too: a failure that nobody awaits must fail the run, and not the process.
    work.then(ended, ended);
    return work;
  }

  async run(what: "reconcile" | "cleanup"): Promise<ProseEnd> {
    let outcome: RunOutcome;
    let retryAfter: number | undefined;
    try {
      const { clock, signal } = this.context;
      const end = await cancellable<Verdict>(clock, signal, () => this.#call(what));
      if (!end.ok) {
        this.#lingering = end.lingering;
        throw end.error;
      }
      signal.throwIfAborted();
      const verdict = end.value;
      if (what === "reconcile" && !this.context.planning && this.#mayHaveChildren)
        await this.#writeChildren(verdict);
      outcome = outcomeOf(verdict);
    } catch (error) {
      outcome = failureOf(error, this.context.signal);
      retryAfter = retryAfterOf(error);
      this.#explain(error);
    }
    this.#open = false;
    if (!this.context.planning && outcome.type !== "cancelled") {
      try {
        await this.#writeStatus(outcome, what);
      } catch (error) {
        // The failure that could not be told of matters more than that it could not.
        if (outcome.type !== "error") outcome = failureOf(error, this.context.signal);
        retryAfter ??= retryAfterOf(error);
      }
    }
    const lingering = this.#lingering ?? this.context.lingering;
    return { outcome, retryAfter, lingering, staged: this.staged };
  }

  /** The user's function. */
  async #call(what: "reconcile" | "cleanup"): Promise<Verdict> {
    const { options, log } = this.context;
    const observed = observe(this.object) as never;
    try {
      const verdict = await (what === "cleanup"
        ? options.cleanup?.(observed, wordsOf(this))
        : options.reconcile(observed, wordsOf(this)));
      if (this.#begun !== undefined) await Promise.all(this.#begun);
      if (verdict === undefined && this.#said) {
        const { type } = this.#said;
        log.warn({}, `${type}(…) was called, but means nothing unless it is returned: return ${type}(…)`);
      }
      return verdict;
    } finally {
      if (this.#begun !== undefined) await Promise.allSettled(this.#begun);
    }
  }

  get #mayHaveChildren(): boolean {
    return this.staged.size > 0 || (this.context.options.owns ?? []).length > 0;
  }

  async #writeChildren(verdict: Verdict): Promise<void> {
    // What failed for good is left as it is.
    if (verdict?.type === "fail") return;
    const { children } = this;
    await writeChildren(children, this.staged.takeNew());
    if (verdict?.type === "wait") return;
    await pruneChildren(children, this.context.options.owns ?? [], this.staged);
  }

  /** Writes what the run has to say; undefined when there is nothing to write. */
  #writeStatus(outcome: RunOutcome, what: "reconcile" | "cleanup"): Promise<unknown> | undefined {
    const { clock, signal, kind, log } = this.context;
    const known = "subresources" in kind;
    const hasStatus = known && (kind.subresources as { status: boolean }).status;
    if (!isInApi(this.object)) return undefined;
    if (known && !hasStatus) {
      if (!this.draft.isEmpty)
        log.warn({}, `what was said of the status is lost: ${kind.kind} has none; give resource() a status`);
      return undefined;
    }
    // An object about to go has nothing to say but why it cannot.
    if (what === "cleanup" && outcome.type === "done") return undefined;
    if (hasStatus) this.#concludeWith(outcome, what);
    else if (this.draft.isEmpty) return undefined;
    // Cancelled because of its time, the run still says so.
    const patching = signal.aborted
      ? { ...this.#patching, signal: AbortSignal.timeout(lastWord) }
      : this.#patching;
    return writeStatus(patching, this.object, this.draft, clock);
  }

  /** What the outcome means for the conditions that every tool looks at. */
  #concludeWith(outcome: RunOutcome, what: "reconcile" | "cleanup"): void {
    const draft = this.draft;
    if (what === "cleanup" && outcome.type === "again") {
      draft.condition({ type: "Ready", status: "False", reason: "CleaningUp", message: outcome.reason });
    } else if (outcome.type === "done" || outcome.type === "again") {
      if (!draft.hasCondition("Ready"))
        draft.condition({ type: "Ready", status: "True", reason: "Reconciled" });
      draft.removeCondition("RolledBack");
    } else if (outcome.type === "wait" || outcome.type === "fail" || outcome.type === "error") {
      const { reason, message } = outcome;
      draft.condition({ type: "Ready", status: "False", reason, message });
    }
    if (outcome.type === "fail") {
      draft.condition({ type: "Stalled", status: "True", reason: outcome.reason, message: outcome.message });
    } else {
      draft.removeCondition("Stalled");
    }
  }

  /** Says what was taken back, where people look. */
  #explain(error: unknown): void {
    if (!(error instanceof StepError) || error.undone.length + error.notUndone.length === 0) return;
    const parts = [
      error.undone.length > 0 ? `undone: ${error.undone.join(", ")}` : "",
      error.notUndone.length > 0 ? `could not be undone: ${error.notUndone.join(", ")}` : "",
    ].filter((part) => part !== "");
    const message = `${error.message}; ${parts.join("; ")}`;
    const ok = error.notUndone.length === 0;
    this.draft.condition({
      type: "RolledBack",
      status: ok ? "True" : "False",
      reason: ok ? "StepFailed" : "UndoFailed",
      message,
    });
    this.context.note(this.object, ok ? "RolledBack" : "UndoFailed", message, "Warning");
  }
}

function outcomeOf(verdict: Verdict): RunOutcome {
  if (verdict === undefined || verdict === null) return { type: "done" };
  switch (verdict.type) {
    case "again":
      return { type: "again", after: duration(verdict.after), reason: verdict.reason };
    case "wait": {
      const { reason, message, after } = verdict;
      return { type: "wait", reason, message, ...(after !== undefined && { after: duration(after) }) };
    }
    case "fail":
      return { type: "fail", reason: verdict.reason, message: verdict.message };
    default:
      throw new TypeError(
        `a reconciler returns nothing, or what wait(), again() or fail() made, but not ${JSON.stringify(verdict)}`,
      );
  }
}

/** How a run that threw ended. */
export function failureOf(error: unknown, signal: AbortSignal): RunOutcome {
  const message = error instanceof Error ? error.message : String(error);
  if (signal.aborted && signal.reason instanceof HandOver)
    return { type: "cancelled", message: signal.reason.message };
  const permanent = causeOf(error, PermanentError);
  if (permanent !== undefined) {
    const reason = isReason(permanent.reason) ? permanent.reason : "PermanentError";
    return { type: "fail", reason, message };
  }
  return { type: "error", reason: reasonOf(error, signal), message };
}

function reasonOf(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return "Timeout";
  if (error instanceof StepError) return "StepFailed";
  if (error instanceof NameTakenError) return "NameTaken";
  return asApiError(error)?.reason || "Error";
}

/** What a dependency or a server asks for before it is tried again. */
export function retryAfterOf(error: unknown): number | undefined {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 8; cause = cause.cause, depth++) {
    const { retryAfter } = cause as { retryAfter?: unknown };
    if (typeof retryAfter === "number") return retryAfter;
  }
  const seconds = asApiError(error)?.status.details?.retryAfterSeconds;
  return seconds === undefined ? undefined : seconds * 1000;
}

function causeOf<T extends Error>(
  error: unknown,
  type: abstract new (...parameters: never[]) => T,
): T | undefined {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 8; cause = cause.cause, depth++) {
    if (cause instanceof type) return cause;
  }
  return undefined;
}
