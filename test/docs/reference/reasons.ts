import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** What a reason means, and what to do about it. */
export interface ReasonAdvice {
  readonly where: string;
  readonly means: string;
  readonly advice: string;
}

const ready = "`Ready` False, event";
const stalled = "`Ready` False, `Stalled` True";

/** Every reason that the runtime gives by itself. `fail`, `wait`, `ready` and `condition` give those of your own code. */
export const reasonAdvice: Readonly<Record<string, ReasonAdvice>> = {
  Reconciled: {
    where: "`Ready` True",
    means: "The run succeeded, and did not set a reason of its own.",
    advice: "Nothing. `ready(reason)` sets a more specific reason.",
  },
  CleaningUp: {
    where: "`Ready` False",
    means: "The object is being deleted, and cleanup requested a requeue.",
    advice: "Wait. `fettle why` shows what cleanup waits for.",
  },
  Timeout: {
    where: ready,
    means: "The run exceeded the controller's `timeout` and was cancelled. It is retried with backoff.",
    advice:
      "`fettle why` shows the step it was in. Give that step a `timeout` of its own and pass it the `signal`; raise `controllers.NAME.timeout` if the work needs more time.",
  },
  StepFailed: {
    where: `${ready}; \`RolledBack\` True`,
    means:
      "A critical step failed after all retries. The steps before it that have an `undo` were undone; `RolledBack` names them. The run is retried with backoff.",
    advice: "Fix the error in the message; `fettle retry` retries without waiting for the backoff.",
  },
  UndoFailed: {
    where: "`RolledBack` False, event",
    means: "A step failed, and an earlier step could not be undone.",
    advice: "Undo the steps in the message by hand, or fix the cause so that the next run succeeds.",
  },
  RolledBack: {
    where: "event",
    means: "Steps were undone because a later one failed; see StepFailed.",
    advice: "As for StepFailed.",
  },
  NameTaken: {
    where: ready,
    means:
      "A child cannot be created: an object with that name exists and belongs to another owner, or to none.",
    advice:
      "Rename the child, delete the other object, or adopt it with `ensure(Kind, name, content, { adopt: true })`.",
  },
  Error: {
    where: ready,
    means: "The reconciler threw an error without a reason. It is retried with backoff.",
    advice: "Fix the error in the message. `fettle why` and the log show what the run did before.",
  },
  Requeue: {
    where: "run, `fettle why`",
    means: "A plain controller returned `requeue: true`: not an error, but retried with the same backoff.",
    advice: "Nothing. `requeueAfter` sets the delay instead.",
  },
  GivenUp: {
    where: "event",
    means: "The object used up its retries (`backoff.maxRetries`) and is now a dead letter.",
    advice: "Fix the error in the message, then run `fettle dead retry KIND/NAME` or change the object.",
  },
  HotLoop: {
    where: "event, `fettle_hot_loops_total`",
    means: "An object is reconciled many times in a short time, always for the same reason.",
    advice:
      "The message names the cause. Usually a run writes a field that triggers it: a time, a counter, or a field that another writer reverts.",
  },
  FieldFight: {
    where: "event, `fettle_fights_total`",
    means: "Two field managers keep overwriting the same field of the object or of a child.",
    advice: "The message names both and the field. Let only one of them set it.",
  },
  PermanentError: {
    where: stalled,
    means: "A PermanentError was thrown whose reason is not one word in CamelCase.",
    advice: "Give the error a reason such as `NoTitle`.",
  },
  BadReason: {
    where: stalled,
    means: "`fail`, `ready` or a similar function was called with a reason that Kubernetes does not accept.",
    advice: "Use one word in CamelCase, and put sentences into the message.",
  },
  BadChild: {
    where: stalled,
    means: "`ensure` was called without a name or without content.",
    advice: "Correct the code; the message says which call.",
  },
  ChildTwice: {
    where: stalled,
    means: "One run ensured the same child twice with different content.",
    advice: "Give the two different names.",
  },
  OwnerNotInApi: {
    where: stalled,
    means: "An object of a poller cannot own a child, because it has no uid.",
    advice: "Write the child with `client` instead of `ensure`.",
  },
  CrossNamespaceOwner: {
    where: stalled,
    means: "The child is in another namespace than its owner, so Kubernetes would delete it as garbage.",
    advice:
      "Make the owner's kind cluster-scoped, or write the child with `client` and delete it in `cleanup`.",
  },
  NoFinalizer: {
    where: stalled,
    means: "The controller has a `cleanup`, but its objects come from a poller and cannot have finalizers.",
    advice: "Remove `cleanup`, or store the objects in the API.",
  },
  UnknownPhase: {
    where: stalled,
    means: "The phase is not declared in `phases`.",
    advice: "Declare it, or correct the phase.",
  },
  ImpossibleTransition: {
    where: stalled,
    means: "`phases` does not declare this transition.",
    advice: "Declare the transition, or use one of those in the message.",
  },
};

/** The reasons that stand in the runtime's code. */
export function reasonsInCode(folder = "src/runtime"): ReadonlySet<string> {
  const found = new Set<string>();
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
  for (const file of files.filter((name) => name.endsWith(".ts") && !/\.test\.|fixtures/.test(name))) {
    const source = readFileSync(join(folder, file), "utf8").replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "");
    // Where reasons stand: thrown for good, in a condition, chosen for an error, said as an event.
    const places = [
      /new PermanentError\(\s*"\w+"/g,
      /\breason( = |: )[^,;\n]*"\w+"/g,
      /function reasonOf[\s\S]*?^}/gm,
      /(?:\brecordEvent|#tell)\([^;]*\);/g,
    ];
    for (const [place] of places.flatMap((pattern) => Array.from(source.matchAll(pattern)))) {
      for (const [, word = ""] of place.matchAll(/"([A-Z]\w+)"/g)) found.add(word);
    }
  }
  for (const type of ["Warning", "Normal"]) found.delete(type);
  return found;
}
