import { duration, type ConditionStatus, type Duration } from "../../model/core.js";
import type { EventInput } from "../../model/cloud-events/cloud-event.js";
import { joinKey, kindKey } from "../controller/keys.js";
import type { Requeue, Failed, Wait } from "../controller/outcome.js";
import type {
  Effect,
  EnsureOptions,
  ReconcileContext,
  StepOptions,
  TypedKind,
} from "../controller/reconcile-context.js";
import { read, readAll } from "./cache-reads.js";
import { stageChild } from "./children/staged.js";
import { ownerIndex } from "./children/write-children.js";
import { checkedReason } from "./object/reason.js";
import type { RunState } from "./run-state.js";

/** Creates the second argument of `reconcile`. `cleanup` gets the same; its type hides what concerns children. */
export function createContext(state: RunState): ReconcileContext<TypedKind, TypedKind> {
  const { context, object, draft, staged } = state;
  const { options, log, runId } = context;
  const namespace = object.metadata.namespace ?? "";
  const presentPhase = (object.status as { readonly phase?: unknown } | undefined)?.phase;
  const cacheOf = (kind: { readonly apiVersion: string; readonly kind: string }) => context.cacheOf(kind);

  function step<T>(name: string, first: StepOptions<T> | Effect<T>, second?: Effect<T>): Promise<T> {
    state.checkOpen();
    const [settings, effect] = typeof first === "function" ? [{}, first] : [first, second];
    if (effect === undefined) throw new TypeError(`step("${name}", …) needs a function that carries it out`);
    return state.track(state.steps.run(name, settings, effect) as Promise<T>);
  }

  const owned = (kind: TypedKind): TypedKind => {
    const key = kindKey(kind);
    const found = options.owns?.find((each) => kindKey(each) === key);
    if (found !== undefined) return found;
    throw new TypeError(
      `${kind.kind} is not owned by controller ${context.controllerName}: add it to owns: [ … ]`,
    );
  };

  return {
    get client() {
      return context.client();
    },
    get signal() {
      return context.exposeSignal();
    },
    log,
    runId,
    now: () => context.clock.now(),
    read: (kind, which) => read(cacheOf, kind, which, namespace),
    readAll: (kind, by) => readAll(cacheOf, kind, by),
    recordEvent(reason, message, type = "Normal") {
      if (context.planChildren === undefined) context.recordEvent(object, reason, message, type);
    },
    emit(first: string | EventInput, data?: unknown) {
      state.checkOpen();
      (state.emitted ??= []).push(typeof first === "string" ? { type: first, data } : first);
    },
    enqueue: (kind, which, enqueueOptions) => {
      state.checkOpen();
      if (context.planChildren === undefined) context.enqueue(kind, which, enqueueOptions);
    },
    step,
    report(status: Readonly<Record<string, unknown>>) {
      state.checkOpen();
      const { phase, ...rest } = status;
      if (options.phases === undefined) return draft.report(status);
      if (phase !== undefined) draft.phase(options.phases, presentPhase, phase);
      draft.report(rest);
    },
    phase(phase: string) {
      state.checkOpen();
      if (options.phases === undefined) {
        throw new TypeError(
          `phase("${phase}") needs to know the phases: declare them in the controller, as phases: { initial, transitions }`,
        );
      }
      draft.phase(options.phases, presentPhase, phase);
    },
    condition(type: string, status: ConditionStatus | boolean, reason: string, message = "") {
      state.checkOpen();
      draft.condition({
        type,
        status: asStatus(status),
        reason: checkedReason(reason, "condition"),
        message,
      });
    },
    ready(reason = "Reconciled", message = "") {
      state.checkOpen();
      draft.condition({ type: "Ready", status: "True", reason: checkedReason(reason, "ready"), message });
    },
    wait: (reason: string, message = "", after?: Duration): Wait =>
      state.noteVerdict({
        type: "wait",
        reason: checkedReason(reason, "wait"),
        message,
        after: checked(after),
      }),
    requeue: (after: Duration, reason = ""): Requeue =>
      state.noteVerdict({ type: "requeue", after: checked(after), reason }),
    fail: (reason: string, message: string): Failed =>
      state.noteVerdict({ type: "fail", reason: checkedReason(reason, "fail"), message }),
    ensure(kind: TypedKind, name: string, content: unknown, ensureOptions?: EnsureOptions) {
      state.checkOpen();
      const child = stageChild(object, owned(kind), name, content, ensureOptions);
      staged.add(child);
      return cacheOf(kind).get(joinKey(child.namespace, name)) as never;
    },
    children: (kind: TypedKind) =>
      cacheOf(owned(kind)).byIndex(ownerIndex, object.metadata.uid ?? "") as never,
    flush() {
      state.checkOpen();
      return state.track(state.flush());
    },
  };
}

function checked<T extends Duration | undefined>(value: T): T {
  if (value !== undefined) duration(value);
  return value;
}

function asStatus(status: ConditionStatus | boolean): ConditionStatus {
  if (typeof status === "boolean") return status ? "True" : "False";
  return status;
}
