import type { KindInfo } from "../../client/kinds/kind.js";
import { tell } from "../../client/tell.js";
import { asApiError, duration, type KubeObject } from "../../model/core.js";
import { Staged } from "./children/staged.js";
import {
  NameTakenError,
  pruneChildren,
  writeChildren,
  type ChildrenContext,
} from "./children/write-children.js";
import { cancellable } from "../cancel/cancellable.js";
import { hasFinalizer, setFinalizer } from "./object/finalizer.js";
import { messageOf } from "../log/message-of.js";
import type { PatchContext } from "./object/optimistic-patch.js";
import { PermanentError, type Again, type Failed, type Verdict, type Wait } from "../controller/outcome.js";
import type { RunOutcome } from "../runs/run.js";
import { isReason } from "./object/reason.js";
import { StatusDraft } from "./object/status-draft.js";
import { writeStatus } from "./object/write-status.js";
import { HandOver, StepError, type Steps } from "./steps/steps.js";
import { observe } from "./observed.js";
import { fieldManagerOf, finalizerOf } from "../controller/names.js";
import type { ProseContext } from "./prose-context.js";
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

/** Whether objects of a kind have a status; undefined for one that was not made here, and may have any. */
function hasStatus(kind: KindInfo): boolean | undefined {
  return "subresources" in kind ? (kind.subresources as { readonly status: boolean }).status : undefined;
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
  #steps: Steps | undefined;
  /** What was last said of steps that were taken back. */
  #explained = "";

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

  get steps(): Steps {
    this.#steps ??= this.context.steps;
    return this.#steps;
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
      outcome = outcomeOf(verdict);
      if (what === "reconcile" && !this.context.planning && this.#mayHaveChildren)
        await this.#writeChildren(verdict);
    } catch (error) {
      outcome = failureOf(error, this.context.signal);
      retryAfter = retryAfterOf(error);
    }
    this.#open = false;
    if (this.#steps !== undefined) this.#explain(this.#steps, this.draft);
    if (!this.context.planning && outcome.type !== "cancelled") {
      try {
        await this.#writeStatus(outcome, what);
      } catch (error) {
        // The failure that could not be told of matters more than that it could not.
        if (outcome.type !== "error") outcome = failureOf(error, this.context.signal);
        retryAfter ??= retryAfterOf(error);
      }
    }
    const lingering = this.#lingering?.then(() => this.#endLate()) ?? this.context.lingering;
    return { outcome, retryAfter, lingering, staged: this.staged };
  }

  /** The function has ended after its run: what has been taken back meanwhile is told now. */
  async #endLate(): Promise<void> {
    const { kind, log } = this.context;
    const draft = new StatusDraft();
    try {
      if (this.#steps !== undefined) this.#explain(this.#steps, draft);
      if (!draft.isEmpty && isInApi(this.object) && hasStatus(kind) !== false) await this.#write(draft);
    } catch (error) {
      const text = `the status does not say which steps were taken back: ${messageOf(error)}`;
      tell("the log", () => log.warn({ err: error }, text));
    }
    await this.context.lingering;
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
    const { kind, log } = this.context;
    if (!isInApi(this.object)) return undefined;
    const known = hasStatus(kind);
    if (known === false) {
      if (!this.draft.isEmpty)
        log.warn({}, `what was said of the status is lost: ${kind.kind} has none; give resource() a status`);
      return undefined;
    }
    // An object about to go has nothing to say but why it cannot.
    if (what === "cleanup" && outcome.type === "done") return undefined;
    if (known) this.#concludeWith(outcome, what);
    else if (this.draft.isEmpty) return undefined;
    return this.#write(this.draft);
  }

  #write(draft: StatusDraft): Promise<unknown> {
    const { clock, signal } = this.context;
    // Cancelled because of its time, the run still says so.
    const patching = signal.aborted
      ? { ...this.#patching, signal: AbortSignal.timeout(lastWord) }
      : this.#patching;
    return writeStatus(patching, this.object, draft, clock);
  }

  /** What the outcome means for the conditions that every tool looks at. */
  #concludeWith(outcome: RunOutcome, what: "reconcile" | "cleanup"): void {
    const draft = this.draft;
    if (what === "cleanup" && outcome.type === "again") {
      draft.condition({ type: "Ready", status: "False", reason: "CleaningUp", message: outcome.reason });
    } else if (outcome.type === "done" || outcome.type === "again") {
      if (!draft.hasCondition("Ready"))
        draft.condition({ type: "Ready", status: "True", reason: "Reconciled" });
      if (this.#explained === "") draft.removeCondition("RolledBack");
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

  /** Says what was taken back, where people look; again when there is more to say. */
  #explain({ rollbacks }: Steps, draft: StatusDraft): void {
    const message = Array.from(rollbacks, describeRollback).join("; ");
    if (message === this.#explained) return;
    this.#explained = message;
    const ok = Array.from(rollbacks).every(({ notUndone }) => notUndone.length === 0);
    draft.condition({
      type: "RolledBack",
      status: ok ? "True" : "False",
      reason: ok ? "StepFailed" : "UndoFailed",
      message,
    });
    this.context.note(this.object, ok ? "RolledBack" : "UndoFailed", message, "Warning");
  }
}

function describeRollback({ message, undone, notUndone }: StepError): string {
  const parts = [message];
  if (undone.length > 0) parts.push(`undone: ${undone.join(", ")}`);
  if (notUndone.length > 0) parts.push(`could not be undone: ${notUndone.join(", ")}`);
  return parts.join("; ");
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

/** How a run that threw ended. Never throws itself, whatever it is given. */
export function failureOf(error: unknown, signal: AbortSignal): RunOutcome {
  if (signal.aborted && signal.reason instanceof HandOver)
    return { type: "cancelled", message: signal.reason.message };
  const message = messageOf(error);
  try {
    const permanent = causeOf(error, PermanentError);
    if (permanent === undefined) return { type: "error", reason: reasonOf(error, signal), message };
    const reason = isReason(permanent.reason) ? permanent.reason : "PermanentError";
    return { type: "fail", reason, message };
  } catch {
    // It has fields that cannot be read.
    return { type: "error", reason: "Error", message };
  }
}

function reasonOf(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return "Timeout";
  if (error instanceof StepError) return "StepFailed";
  if (error instanceof NameTakenError) return "NameTaken";
  return asApiError(error)?.reason || "Error";
}

/** What a dependency or a server asks for before it is tried again; what is no time to wait for is not heard. */
export function retryAfterOf(error: unknown): number | undefined {
  try {
    for (let cause = error, depth = 0; cause instanceof Error && depth < 8; cause = cause.cause, depth++) {
      const { retryAfter } = cause as { retryAfter?: unknown };
      if (isDelay(retryAfter)) return retryAfter;
    }
    const seconds = asApiError(error)?.status.details?.retryAfterSeconds;
    return isDelay(seconds) ? seconds * 1000 : undefined;
  } catch {
    return undefined;
  }
}

function isDelay(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value > 0;
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
