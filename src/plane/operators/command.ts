/** Streams, environment and signals of a command; tests pass their own. */
export interface Terminal {
  readonly stdout: {
    /** Returns false when the reader is slower: `writeOut` of `fettle/cli` waits for it. */
    write(chunk: string | Uint8Array): unknown;
    once?(event: "drain", listener: () => void): unknown;
    readonly isTTY?: boolean | undefined;
    readonly columns?: number | undefined;
    readonly rows?: number | undefined;
  };
  readonly stderr: { write(text: string): unknown; readonly isTTY?: boolean | undefined };
  readonly stdin: AsyncIterable<Uint8Array | string> & { readonly isTTY?: boolean | undefined };
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Aborts on Ctrl-C. */
  readonly signal: AbortSignal;
  /** True on a terminal, unless NO_COLOR is set. */
  readonly colors: boolean;
  /** Version of this package. */
  readonly version: string;
}

/** Option of a command; flags in commander's syntax: `-o, --output <format>`. */
export interface CommandOption {
  readonly flags: string;
  readonly summary: string;
  readonly default?: string | boolean | undefined;
  readonly choices?: readonly string[] | undefined;
  /** Common values, for shell completion; others are allowed. */
  readonly values?: readonly string[] | undefined;
  /** May be given several times; its value is a list. */
  readonly repeated?: boolean | undefined;
}

export type OptionValues = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

/** A command of the command line. Its module is loaded when the command is called. */
export interface Command {
  /** Positional arguments: `<kind> [name...]`. */
  readonly arguments?: string | undefined;
  /**
   * Kinds of the objects that the argument `object` takes, for shell completion: `["process", "processset"]`. Objects of the first
   * one are also completed by their name alone. Default: all kinds.
   */
  readonly kinds?: readonly string[] | undefined;
  /** Help text in full sentences; the first one is the summary of a subcommand. */
  readonly description: string;
  readonly options?: readonly CommandOption[] | undefined;
  /** Command lines to paste, each with a comment. */
  readonly examples: readonly (readonly [line: string, comment: string])[];
  /** Subcommands by name: `debug events`. A command with subcommands has no `run`. */
  readonly commands?: Readonly<Record<string, Command>> | undefined;
  /** Exit code on failure. Default: 1. */
  readonly failureCode?: number | undefined;
  /** Exit code on invalid usage. Default: 2. */
  readonly usageCode?: number | undefined;
  /** Runs the command; resolves with the exit code, undefined for 0. Errors are printed and exit with `failureCode`. */
  readonly run?:
    | ((words: readonly string[], options: OptionValues, terminal: Terminal) => Promise<number | void>)
    | undefined;
}

/** A command in the list of `fettle --help`; its module is loaded when it is called. */
export interface CommandEntry {
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  readonly load: () => Promise<Command>;
}
