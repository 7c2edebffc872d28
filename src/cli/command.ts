/** Where a command reads and writes; tests hand in their own. */
export interface Terminal {
  readonly stdout: {
    write(text: string): unknown;
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
  /** Only on a terminal, and never with NO_COLOR. */
  readonly colors: boolean;
  /** Of this package. */
  readonly version: string;
}

/** One option of a command, as commander writes it: `-o, --output <format>`. */
export interface CommandOption {
  readonly flags: string;
  readonly summary: string;
  readonly default?: string | boolean | undefined;
  readonly choices?: readonly string[] | undefined;
  /** What it is often given, for a shell to complete; others are allowed. */
  readonly values?: readonly string[] | undefined;
  /** Given several times, it is a list. */
  readonly repeated?: boolean | undefined;
}

export type OptionValues = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

/** What a command is and does. Its module is loaded only when it is asked for. */
export interface Command {
  /** What follows the name: `<kind> [name...]`. */
  readonly arguments?: string | undefined;
  /** What it does, in a sentence or a few. */
  readonly description: string;
  readonly options?: readonly CommandOption[] | undefined;
  /** Lines to paste, each with what it does. */
  readonly examples: readonly (readonly [line: string, does: string])[];
  /** Commands below this one, by name: `debug events`. Then there is no `run`. */
  readonly commands?: Readonly<Record<string, Command>> | undefined;
  /** The exit code when it fails; 1 unless given. */
  readonly failureCode?: number | undefined;
  /** Returns the exit code; nothing means 0. What it throws is said in a line, and is the `failureCode`. */
  readonly run?:
    | ((words: readonly string[], options: OptionValues, terminal: Terminal) => Promise<number | void>)
    | undefined;
}

/** Options of every command that talks to a server. */
export const connectionOptions: readonly CommandOption[] = [
  {
    flags: "--kubeconfig <file>",
    summary: "kubeconfig file (default: .fettle/kubeconfig in this folder, then as kubectl)",
  },
  { flags: "--context <name>", summary: "context of the kubeconfig" },
  { flags: "-n, --namespace <name>", summary: "namespace (default: the context's)" },
];

/** Something is wrong with how a command was called: exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
