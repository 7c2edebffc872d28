import type { Launch, LaunchProblem, SignalName } from "./driver.js";

/** Names of attempts and objects become names of files, so nothing but these is accepted. */
const safeUid = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,199}$/;

/** Throws for a uid or number that the controller cannot have got from an object. */
export function checkAttempt(uid: string, attempt: number): void {
  checkUid(uid);
  if (!Number.isSafeInteger(attempt) || attempt < 1) {
    throw new RangeError(`attempt must be a whole number from 1, not ${attempt}`);
  }
}

export function checkUid(uid: string): void {
  if (!safeUid.test(uid)) throw new RangeError(`invalid uid ${JSON.stringify(uid)}`);
}

/** Explains why no operating system could execute this launch; undefined if it can be tried. */
export function launchProblem(launch: Launch): LaunchProblem | undefined {
  const failed = (message: string): LaunchProblem => ({ reason: "LaunchFailed", message });
  const [program] = launch.argv;
  if (program === "") {
    return { reason: "CommandNotFound", message: "The command is an empty string: name a program" };
  }
  const argument = launch.argv.findIndex((each) => each.includes("\0"));
  if (argument === 0) return failed("The command contains a NUL character: remove it");
  if (argument > 0) {
    return failed(`Argument ${argument} contains a NUL character, which no program can receive: remove it`);
  }
  for (const [name, value] of Object.entries(launch.env)) {
    if (name === "" || name.includes("=") || name.includes("\0")) {
      return failed(`${JSON.stringify(name)} is not a name of an environment variable`);
    }
    if (value.includes("\0")) {
      return failed(
        `Environment variable ${name} contains a NUL character, which no program can receive: remove it, or pass it in a file`,
      );
    }
  }
  for (const [field, value] of Object.entries({
    "The working folder": launch.workingDir,
    "The user": launch.user,
    "The group": launch.group,
  })) {
    if (value === "") return failed(`${field} is an empty string: leave it out to use the default`);
    if (value?.includes("\0") === true) return failed(`${field} contains a NUL character: remove it`);
  }
  const descriptor = launch.notifyDescriptor;
  if (descriptor !== undefined && !(Number.isInteger(descriptor) && descriptor >= 3 && descriptor <= 255)) {
    return failed(`The notify descriptor must be a whole number from 3 to 255, not ${descriptor}`);
  }
  return undefined;
}

/** Numbers of the attempts to remove when one starts: exited ones that are older than the newest `history`. */
export function outdatedAttempts(
  attempts: readonly { readonly number: number; readonly exited: boolean }[],
  history: number,
): number[] {
  return attempts
    .toSorted((one, other) => other.number - one.number)
    .slice(Math.max(1, history))
    .filter(({ exited }) => exited)
    .map(({ number }) => number);
}

/** Throws for a signal that is not a name, before it reaches a protocol of lines. */
export function checkSignal(signal: SignalName): void {
  if (!/^SIG[A-Z0-9+-]{2,12}$/.test(signal)) {
    throw new RangeError(`${JSON.stringify(signal)} is not the name of a signal, such as SIGTERM`);
  }
}
