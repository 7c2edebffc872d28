import { callListener } from "../../client/async/call-listener.js";
import { duration, type KubeObject } from "../../model/core.js";
import { cancellable } from "../cancel/cancellable.js";
import { finalizerOf } from "../controller/names.js";
import { PermanentError, type Verdict } from "../controller/outcome.js";
import { messageOf } from "../log/message-of.js";
import type { RunOutcome } from "../runs/run.js";
import type { Staged } from "./children/staged.js";
import { createContext } from "./create-context.js";
import { failedOutcome, retryAfterOf } from "./failure.js";
import { hasFinalizer, setFinalizer } from "./object/finalizer.js";
import { StatusDraft } from "./object/status-draft.js";
import { observedObject } from "./observed.js";
import type { RunContext } from "./run-context.js";
import { isInApi, patchContextOf, RunState, statusOf } from "./run-state.js";
import type { StepError } from "./steps/steps.js";

/** Result of a run. */
export interface RunResult {
  readonly outcome: RunOutcome;
  /** Delay in milliseconds that a dependency asks for before the next attempt. */
  readonly retryAfter?: number | undefined;
  /** Pending while the function ignores that its run was cancelled; until then the object must not be run again. */
  readonly lingering?: Promise<unknown> | undefined;
  /** Children that the reconciler staged; undefined if it was not called. */
  readonly staged?: Staged | undefined;
}

const gone: RunResult = { outcome: { type: "gone" } };

/**
 * Runs a declarative controller for one object, as the cache has it.
 *
 * The finalizer is set before anything else, so that nothing is done that cleanup would not undo. After the function has
 * returned, children are written, then (if it succeeded) pruned, and last the status, which thus never claims what has not
 * happened. A run that fails still reports why.
 */
export async function reconcileObject(context: RunContext, found: KubeObject): Promise<RunResult> {
  const { options, controllerName } = context;
  const planning = context.planChildren !== undefined;
  const finalizer = finalizerOf(options, controllerName);
  let object: KubeObject | undefined = found;
  const deleting = Boolean(object.metadata.deletionTimestamp);
  const set = (target: KubeObject, wanted: boolean): Promise<KubeObject | undefined> =>
    setFinalizer(patchContextOf(context), target, finalizer, wanted);
  if (deleting && (options.cleanup === undefined || !hasFinalizer(object, finalizer))) {
    if (!planning && hasFinalizer(object, finalizer)) await set(object, false);
    return gone;
  }
  if (!deleting && !planning && isInApi(object)) {
    const wanted = options.cleanup !== undefined;
    if (hasFinalizer(object, finalizer) !== wanted) {
      object = await set(object, wanted);
      // An object that is being deleted takes no new finalizer, and what would be done could not be undone.
      if (object === undefined || object.metadata.deletionTimestamp) return gone;
    }
  } else if (options.cleanup !== undefined && !isInApi(object) && !planning) {
    throw new PermanentError(
      "NoFinalizer",
      `${object.kind} ${object.metadata.name} does not come from the API, so it cannot have a finalizer for cleanup: remove cleanup, or store the objects in the API`,
    );
  }
  const result = await new Reconciliation(new RunState(context, object)).run(
    deleting ? "cleanup" : "reconcile",
  );
  if (deleting && result.outcome.type === "done" && !planning) {
    await set(object, false);
    return { ...result, outcome: { type: "gone" } };
  }
  return result;
}

/** One call of `reconcile` or `cleanup`, and the writes that follow it. */
class Reconciliation {
  readonly #state: RunState;
  readonly #context: RunContext;
  /** Pending while the user's function ignores its signal. */
  #lingering: Promise<unknown> | undefined;
  /** Last reported message about steps that were rolled back. */
  #rollbackMessage = "";

  constructor(state: RunState) {
    this.#state = state;
    this.#context = state.context;
  }

  async run(method: "reconcile" | "cleanup"): Promise<RunResult> {
    const state = this.#state;
    const { clock, signal, planChildren } = this.#context;
    let outcome: RunOutcome;
    let retryAfter: number | undefined;
    try {
      const end = await cancellable<Verdict>(clock, signal, () => this.#call(method));
      if (!end.ok) {
        this.#lingering = end.lingering;
        throw end.error;
      }
      signal.throwIfAborted();
      outcome = outcomeOf(end.value);
      if (method === "reconcile" && planChildren === undefined) await state.writeChildren(end.value);
    } catch (error) {
      outcome = failedOutcome(error, signal);
      retryAfter = retryAfterOf(error);
    }
    state.close();
    this.#reportRollbacks(state.draft);
    if (planChildren === undefined && outcome.type !== "cancelled") {
      try {
        await this.#writeStatus(outcome, method);
      } catch (error) {
        // The failure of the run matters more than that of reporting it.
        if (outcome.type !== "error") outcome = failedOutcome(error, signal);
        retryAfter ??= retryAfterOf(error);
      }
    }
    // A run that failed is repeated, and emits its events then.
    const { emitted } = state;
    const isOver = outcome.type !== "error" && outcome.type !== "cancelled";
    if (emitted !== undefined && isOver && planChildren === undefined) {
      try {
        await this.#context.publish(state.object, emitted);
      } catch (error) {
        outcome = failedOutcome(error, signal);
      }
    }
    const lingering = this.#lingering?.then(() => this.#endLate()) ?? this.#context.lingering;
    return { outcome, retryAfter, lingering, staged: state.staged };
  }

  /** Calls the user's function. */
  async #call(method: "reconcile" | "cleanup"): Promise<Verdict> {
    const state = this.#state;
    const { options, log } = this.#context;
    const observed = observedObject(state.object) as never;
    try {
      const verdict = await (method === "cleanup"
        ? options.cleanup?.(observed, createContext(state))
        : options.reconcile(observed, createContext(state)));
      await state.pendingDone();
      if (verdict === undefined && state.lastVerdict) {
        const { type } = state.lastVerdict;
        log.warn({}, `${type}(…) has no effect unless it is returned: return ${type}(…)`);
      }
      return verdict;
    } finally {
      await state.pendingSettled();
    }
  }

  /** Reports rollbacks that took place after the run, by a function that ignored its signal and has now ended. */
  async #endLate(): Promise<void> {
    const { kind, log } = this.#context;
    const draft = new StatusDraft();
    try {
      this.#reportRollbacks(draft);
      if (!draft.isEmpty && isInApi(this.#state.object) && statusOf(kind) !== "none")
        await this.#state.writeStatus(draft);
    } catch (error) {
      const text = `could not report the undone steps in the status: ${messageOf(error)}`;
      callListener("the log", () => log.warn({ err: error }, text));
    }
    await this.#context.lingering;
  }

  /** Writes the status; undefined when there is nothing to write. */
  #writeStatus(outcome: RunOutcome, method: "reconcile" | "cleanup"): Promise<void> | undefined {
    const { kind, log } = this.#context;
    const { draft, object } = this.#state;
    if (!isInApi(object)) return undefined;
    const form = statusOf(kind);
    if (form === "none") {
      if (!draft.isEmpty)
        log.warn({}, `the reported status is lost: ${kind.kind} has no status; declare one in resource()`);
      return undefined;
    }
    // After a complete cleanup the object is about to be removed.
    if (method === "cleanup" && outcome.type === "done") return undefined;
    if (form === "standard") this.#addConditions(outcome, method);
    else if (draft.isEmpty) return undefined;
    return this.#state.writeStatus(draft);
  }

  /** Adds the standard conditions Ready and Stalled. */
  #addConditions(outcome: RunOutcome, method: "reconcile" | "cleanup"): void {
    const { draft } = this.#state;
    if (method === "cleanup" && outcome.type === "requeue") {
      draft.condition({ type: "Ready", status: "False", reason: "CleaningUp", message: outcome.reason });
    } else if (outcome.type === "done" || outcome.type === "requeue") {
      if (!draft.hasCondition("Ready"))
        draft.condition({ type: "Ready", status: "True", reason: "Reconciled" });
      if (this.#rollbackMessage === "") draft.removeCondition("RolledBack");
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

  /** Reports steps that were undone, as a condition and an event; again only when there is more to report. */
  #reportRollbacks(draft: StatusDraft): void {
    const rollbacks = [...(this.#state.usedSteps?.rollbacks ?? [])];
    const message = rollbacks.map(describeRollback).join("; ");
    if (message === this.#rollbackMessage) return;
    this.#rollbackMessage = message;
    const ok = rollbacks.every(({ notUndone }) => notUndone.length === 0);
    const reason = ok ? "RolledBack" : "UndoFailed";
    if (statusOf(this.#context.kind) !== "own") {
      draft.condition({
        type: "RolledBack",
        status: ok ? "True" : "False",
        reason: ok ? "StepFailed" : "UndoFailed",
        message,
      });
    }
    this.#context.recordEvent(this.#state.object, reason, message, "Warning");
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
    case "requeue":
      return { type: "requeue", after: duration(verdict.after), reason: verdict.reason };
    case "wait": {
      const { reason, message, after } = verdict;
      return { type: "wait", reason, message, ...(after !== undefined && { after: duration(after) }) };
    }
    case "fail":
      return { type: "fail", reason: verdict.reason, message: verdict.message };
    default:
      throw new TypeError(
        `a reconciler must return nothing, or the result of wait(), requeue() or fail(), not ${JSON.stringify(verdict)}`,
      );
  }
}
