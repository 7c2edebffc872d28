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
    means: "The run succeeded without another reason.",
    advice: "Nothing. `ready(reason)` sets a better one.",
  },
  CleaningUp: {
    where: "`Ready` False",
    means: "The object is being deleted, and cleanup requested another run.",
    advice: "Wait. `fettle why` shows what cleanup waits for.",
  },
  Timeout: {
    where: ready,
    means:
      "The run took longer than the controller's `timeout`, and was cancelled. It is retried with backoff.",
    advice:
      "`fettle why` shows the active step. Give it a `timeout` of its own, and pass the `signal` on; raise `controllers.NAME.timeout` if the work needs more time.",
  },
  StepFailed: {
    where: `${ready}; \`RolledBack\` True`,
    means:
      "A critical step failed, with all its retries. Earlier steps with an `undo` were undone; `RolledBack` names them. The run is retried with backoff.",
    advice:
      "The message has the step and its error. Repair the cause; `fettle retry` retries without waiting for the backoff.",
  },
  UndoFailed: {
    where: "`RolledBack` False, event",
    means: "A step failed, and an earlier one could not be undone.",
    advice: "Clean up the effects named in the message by hand; they remain until a run succeeds.",
  },
  RolledBack: {
    where: "event",
    means: "Steps were undone because a later one failed; see StepFailed.",
    advice: "As for StepFailed.",
  },
  NameTaken: {
    where: ready,
    means: "A child cannot be created: an object of that name exists, and has another owner or none.",
    advice:
      "Choose another name, delete the other object, or take it over with `ensure(Kind, name, content, { adopt: true })`.",
  },
  Error: {
    where: ready,
    means: "The function threw an error without a reason. It is retried with backoff.",
    advice: "The message is that of the error. `fettle why` and the log show what the run did before.",
  },
  Requeue: {
    where: "run, `fettle why`",
    means: "A plain controller returned `requeue: true`: not an error, but retried with the same backoff.",
    advice: "Nothing; set `requeueAfter` for a fixed delay.",
  },
  GivenUp: {
    where: "event",
    means: "The object failed once more than `backoff.maxRetries`, and is now a dead letter.",
    advice:
      "Repair the cause in the message, then `fettle dead retry KIND/NAME`. A change of the object also retries it.",
  },
  HotLoop: {
    where: "event, `fettle_hot_loops_total`",
    means: "An object is reconciled repeatedly for the same reason within a short time.",
    advice:
      "The message names the cause. Usually a run changes what it is triggered by: a time, a counter, a field that another writer reverts.",
  },
  FieldFight: {
    where: "event, `fettle_fights_total`",
    means: "Two field managers keep overwriting the same field of a child or of the object itself.",
    advice: "The message names both and the field. Remove the field from one of them.",
  },
  PermanentError: {
    where: stalled,
    means: "A PermanentError was thrown whose reason is not one word in CamelCase.",
    advice: "Read the message; give the error a reason such as `NoTitle`.",
  },
  BadReason: {
    where: stalled,
    means: "A function such as `fail` or `ready` was called with a reason that is not valid in Kubernetes.",
    advice: "Use one word in CamelCase; sentences go into the message.",
  },
  BadChild: {
    where: stalled,
    means: "`ensure` was called without a name, or without contents.",
    advice: "Correct the code; the message names the call.",
  },
  ChildTwice: {
    where: stalled,
    means: "One run ensured the same child twice with different contents.",
    advice: "Give the children different names.",
  },
  OwnerNotInApi: {
    where: stalled,
    means: "An object of a poller cannot own a child, since it has no uid.",
    advice: "Write the child with `client` instead of `ensure`.",
  },
  CrossNamespaceOwner: {
    where: stalled,
    means: "An owner ensured a child in another namespace, which Kubernetes would garbage-collect.",
    advice:
      "Make the owner's kind cluster-scoped, or write the child with `client` and delete it in `cleanup`.",
  },
  NoFinalizer: {
    where: stalled,
    means: "A controller with `cleanup` reconciles objects that are not in the API.",
    advice: "Remove `cleanup`, or store the objects in the API.",
  },
  UnknownPhase: {
    where: stalled,
    means: "`status.phase` is not declared in `phases`.",
    advice: "Declare it, or correct the status.",
  },
  ImpossibleTransition: {
    where: stalled,
    means: "`phase(name)` requested a transition that `phases` does not declare.",
    advice: "Declare the transition, or use another; the message lists the allowed ones.",
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
