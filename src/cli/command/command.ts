import type { CommandEntry } from "../../plane/operators/command.js";

// Declared there, since operators contribute commands.
export type {
  Command,
  CommandEntry,
  CommandOption,
  OptionValues,
  Terminal,
} from "../../plane/operators/command.js";

/** A command of the command line itself, or of an operator. */
interface ListedCommand extends CommandEntry {
  /** True for a command that an operator may replace by one of the same name. */
  readonly replaceable?: boolean | undefined;
}

export interface CommandGroup {
  readonly title: string;
  readonly commands: readonly ListedCommand[];
}

/** Invalid use of a command: exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** Failure to start with a message that is complete: its cause is printed only for debugging. */
export class StartError extends Error {
  override readonly name = "StartError";
}
