import { duration, type ConditionStatus, type Duration, type KubeObject } from "../../model/core.js";
import { stageChild, type Staged } from "./children/staged.js";
import { ownerIndex, writeChildren, type ChildrenContext } from "./children/write-children.js";
import { joinKey, kindKey } from "../controller/keys.js";
import { read, readAll } from "./cache-reads.js";
import type { Again, Failed, Wait } from "../controller/outcome.js";
import { checkedReason } from "./object/reason.js";
import type { StatusDraft } from "./object/status-draft.js";
import type { Steps } from "./steps/steps.js";
import type {
  Effect,
  EnsureOptions,
  StepOptions,
  Tools,
  TypedKind,
} from "../controller/reconcile-context.js";
import type { ProseContext } from "./prose-context.js";

/** What the words of a run act upon. */
export interface Words {
  readonly context: ProseContext;
  readonly object: KubeObject;
  readonly draft: StatusDraft;
  readonly staged: Staged;
  readonly children: ChildrenContext;
  readonly steps: Steps;
  /** Throws once the run is over: what is said afterwards would be lost. */
  checkOpen(): void;
  /** Notes that a verdict was made: one that is not returned means nothing. */
  say<T extends Wait | Again | Failed>(verdict: T): T;
  /** Keeps sight of what was begun, so that the run does not end before it, awaited or not. */
  follow<T>(work: Promise<T>): Promise<T>;
}

/** The words of one run. A cleanup is given them too, but the types hide those about children from it. */
export function wordsOf(words: Words): Tools<TypedKind, TypedKind> {
  const { context, object, draft, staged } = words;
  const { options, log, runId } = context;
  const namespace = object.metadata.namespace ?? "";
  const presentPhase = (object.status as { readonly phase?: unknown } | undefined)?.phase;
  const cacheOf = (kind: { readonly apiVersion: string; readonly kind: string }) => context.cacheOf(kind);

  function step<T>(name: string, first: StepOptions<T> | Effect<T>, second?: Effect<T>): Promise<T> {
    words.checkOpen();
    const [settings, effect] = typeof first === "function" ? [{}, first] : [first, second];
    if (effect === undefined) throw new TypeError(`step("${name}", …) needs a function that carries it out`);
    return words.follow(words.steps.run(name, settings, effect) as Promise<T>);
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
      return context.showSignal();
    },
    log,
    runId,
    now: () => context.clock.now(),
    read: (kind, which) => read(cacheOf, kind, which, namespace),
    readAll: (kind, by) => readAll(cacheOf, kind, by),
    note(reason, message, type = "Normal") {
      if (!context.planning) context.note(object, reason, message, type);
    },
    step,
    report(status: Readonly<Record<string, unknown>>) {
      words.checkOpen();
      const { phase, ...rest } = status;
      if (options.phases === undefined) return draft.report(status);
      if (phase !== undefined) draft.phase(options.phases, presentPhase, phase);
      draft.report(rest);
    },
    phase(phase: string) {
      words.checkOpen();
      if (options.phases === undefined) {
        throw new TypeError(
          `phase("${phase}") needs to know the phases: declare them in the controller, as phases: { initial, ways }`,
        );
      }
      draft.phase(options.phases, presentPhase, phase);
    },
    condition(type: string, status: ConditionStatus | boolean, reason: string, message = "") {
      words.checkOpen();
      draft.condition({
        type,
        status: asStatus(status),
        reason: checkedReason(reason, "condition"),
        message,
      });
    },
    ready(reason = "Reconciled", message = "") {
      words.checkOpen();
      draft.condition({ type: "Ready", status: "True", reason: checkedReason(reason, "ready"), message });
    },
    wait: (reason: string, message = "", after?: Duration): Wait =>
      words.say({ type: "wait", reason: checkedReason(reason, "wait"), message, after: checked(after) }),
    again: (after: Duration, reason = ""): Again =>
      words.say({ type: "again", after: checked(after), reason }),
    fail: (reason: string, message: string): Failed =>
      words.say({ type: "fail", reason: checkedReason(reason, "fail"), message }),
    ensure(kind: TypedKind, name: string, content: unknown, ensureOptions?: EnsureOptions) {
      words.checkOpen();
      const child = stageChild(object, owned(kind), name, content, ensureOptions);
      staged.add(child);
      return cacheOf(kind).get(joinKey(child.namespace, name)) as never;
    },
    children: (kind: TypedKind) =>
      cacheOf(owned(kind)).byIndex(ownerIndex, object.metadata.uid ?? "") as never,
    settle() {
      words.checkOpen();
      if (context.planning) return Promise.resolve();
      return words.follow(writeChildren(words.children, staged.takeNew()));
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
