import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Meaning of a reason, and advice. */
export interface ReasonAdvice {
  readonly where: string;
  readonly means: string;
  readonly advice: string;
}

const ready = "`Ready` False, event";
const stalled = "`Ready` False, `Stalled` True";

/** Every reason that the runtime sets by itself. `fail`, `wait`, `ready` and `condition` set those of your own code. */
export const reasonAdvice: Readonly<Record<string, ReasonAdvice>> = {
  Reconciled: {
    where: "`Ready` True",
    means: "The run ended well and said nothing more of it.",
    advice: "Nothing. `ready(reason)` says something better.",
  },
  CleaningUp: {
    where: "`Ready` False",
    means: "The object is being deleted, and cleanup asked to be called again.",
    advice: "Wait. `fettle why` shows what cleanup waits for.",
  },
  Timeout: {
    where: ready,
    means:
      "The run took longer than the controller's `timeout`, and was cancelled. It is tried again with backoff.",
    advice:
      "`fettle why` shows the step it was in. Give that step a `timeout` of its own and pass it the `signal`; raise `controllers.NAME.timeout` where the work really takes as long.",
  },
  StepFailed: {
    where: `${ready}; \`RolledBack\` True`,
    means:
      "A critical step failed, with all its retries. The steps before it that have an `undo` were taken back; `RolledBack` names them. It is tried again with backoff.",
    advice:
      "The message has the step and its error. Correct what it names; `fettle retry` does not wait for the backoff.",
  },
  UndoFailed: {
    where: "`RolledBack` False, event",
    means: "A step failed, and an earlier one could not be taken back.",
    advice: "Look after what the message says could not be undone: nobody else will until a run succeeds.",
  },
  RolledBack: {
    where: "event",
    means: "Steps were taken back because a later one failed; see StepFailed.",
    advice: "As for StepFailed.",
  },
  NameTaken: {
    where: ready,
    means: "A child cannot be made: there is an object of that name, and it is not this owner's.",
    advice:
      "Name the child otherwise, delete the other object, or take it over with `ensure(Kind, name, content, { adopt: true })`.",
  },
  Error: {
    where: ready,
    means: "The function threw something that has no reason of its own. It is tried again with backoff.",
    advice: "The message is the error's. `fettle why` shows what the run did before; the log has it too.",
  },
  Requeue: {
    where: "run, `fettle why`",
    means:
      "A plain controller returned `requeue: true`: not an error, but tried again with the same backoff.",
    advice: "Nothing; `requeueAfter` says when.",
  },
  GivenUp: {
    where: "event",
    means: "The object failed once more than `backoff.maxRetries`, and is now a dead letter.",
    advice:
      "Correct what the message says, then `fettle dead retry KIND/NAME`. Any change of the object does the same.",
  },
  HotLoop: {
    where: "event, `fettle_hot_loops_total`",
    means: "An object is run again and again for the same reason, within a short time.",
    advice:
      "The message names the cause. Most often a run changes what it is triggered by: a time, a counter, a field that another writer sets back.",
  },
  FieldFight: {
    where: "event, `fettle_fights_total`",
    means: "Two managers set the same field of a child or of the object itself back and forth.",
    advice: "The message names both and the field. Leave the field out of one of them.",
  },
  PermanentError: {
    where: stalled,
    means: "A PermanentError was thrown whose reason is not one word in CamelCase.",
    advice: "Read the message; give the error a reason such as `NoTitle`.",
  },
  BadReason: {
    where: stalled,
    means: "A word such as `fail` or `ready` was given a reason that Kubernetes does not take.",
    advice: "Use one word in CamelCase; sentences go into the message.",
  },
  BadChild: {
    where: stalled,
    means: "`ensure` was called without a name, or without contents.",
    advice: "Correct the code; the message says which call.",
  },
  ChildTwice: {
    where: stalled,
    means: "One run ensured the same child twice with different contents.",
    advice: "Give the two different names.",
  },
  OwnerNotInApi: {
    where: stalled,
    means: "An object that a poller made of a row wants to own a child, but has no uid.",
    advice: "Write the child with `client` instead of `ensure`.",
  },
  CrossNamespaceOwner: {
    where: stalled,
    means: "An owner in one namespace wants a child in another, which Kubernetes would collect as garbage.",
    advice:
      "Make the owner's kind cluster-scoped, or write the child with `client` and delete it in `cleanup`.",
  },
  NoFinalizer: {
    where: stalled,
    means: "A controller with `cleanup` was given an object that does not come from the API.",
    advice: "Leave `cleanup` out, or keep the objects in the API.",
  },
  UnknownPhase: {
    where: stalled,
    means: "`status.phase` is one that `phases` does not declare.",
    advice: "Declare it, or correct the status.",
  },
  ImpossibleTransition: {
    where: stalled,
    means: "`phase(name)` wants a way that `phases` does not have.",
    advice: "Declare the way, or go by another; the message lists those there are.",
  },
};

/** Reasons that occur in the code of the runtime. */
export function reasonsInCode(folder = "src/runtime"): ReadonlySet<string> {
  const found = new Set<string>();
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
  for (const file of files.filter((name) => name.endsWith(".ts") && !/\.test\.|fixtures/.test(name))) {
    const source = readFileSync(join(folder, file), "utf8").replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "");
    // Forms in which reasons occur: in a permanent error, a condition, the mapping of an error, or an event.
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
