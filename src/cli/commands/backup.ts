import { existsSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { UsageError, type Command, type OptionValues, type Terminal } from "../command/command.js";
import { startProgress, type Progress } from "../terminal/progress.js";
import { kubeconfigOptions } from "../command/options.js";

export const command: Command = {
  arguments: "[file]",
  description:
    "Save a consistent snapshot of all objects to a file. A running control plane makes the backup without stopping; " +
    "otherwise its data folder is read. The file contains all Secrets: protect it. Tokens and certificates of the data " +
    "folder are not included.",
  options: [
    {
      flags: "-o, --output <file>",
      summary: "output file, same as [file] (default: fettle-TIME.backup.gz)",
    },
    { flags: "--force", summary: "replace an existing file" },
    { flags: "--data <folder>", summary: "data folder (default: .fettle, if it exists)" },
    ...kubeconfigOptions,
  ],
  examples: [
    ["fettle backup", "the control plane of this folder"],
    ["fettle backup -o nightly.backup.gz --data /var/lib/fettle", "another data folder, to a given file"],
    ["fettle restore nightly.backup.gz --data restored", "restore it"],
  ],
  async run(words, options, terminal) {
    const [word] = words;
    if (word !== undefined && options["output"] !== undefined)
      throw new UsageError(`-o cannot be combined with ${word}: name one file`);
    const output = word ?? options["output"];
    const force = options["force"] === true;
    const name = `fettle-${new Date().toISOString().slice(0, 19).replaceAll(":", "-")}.backup.gz`;
    const file = resolve(terminal.cwd, typeof output === "string" ? output : name);
    checkFile(file, typeof output === "string" ? output : name, force);
    using progress = startProgress(terminal);
    const { saveBackup } = await import("./backup/save-backup.js");
    const stream = await source(options, terminal, progress);
    const saved = await saveBackup(stream, file, {
      force,
      signal: terminal.signal,
      onProgress: (bytes) => progress.show(`saving: ${megabytes(bytes)}`),
    });
    progress.clear();
    terminal.stdout.write(
      `saved ${saved.entries} entries of revision ${saved.revision} to ${file} (${megabytes(saved.bytes)})\n`,
    );
  },
};

/** Checks before anything is read. @throws when the backup cannot be written to this file. */
function checkFile(file: string, argument: string, force: boolean): void {
  const existing = statSync(file, { throwIfNoEntry: false });
  if (existing?.isDirectory())
    throw new UsageError(`${argument} is a folder; name a file in it, such as ${join(argument, "FILE")}`);
  if (existing !== undefined && !force)
    throw new Error(`${argument} already exists; replace it with --force`);
  if (!existsSync(dirname(file))) throw new UsageError(`the folder ${dirname(argument)} does not exist`);
}

/** Reads the data folder itself if no process has it open, otherwise through the control plane that has. */
async function source(
  options: OptionValues,
  terminal: Terminal,
  progress: Progress,
): Promise<AsyncIterable<Uint8Array>> {
  const { data: dataOption, kubeconfig, context } = options;
  const isElsewhere =
    kubeconfig !== undefined || context !== undefined || Boolean(terminal.env["KUBECONFIG"]);
  const data = resolve(terminal.cwd, typeof dataOption === "string" ? dataOption : ".fettle");
  const isFolder = existsSync(join(data, "store", "store.db"));
  if (typeof dataOption === "string" && !isFolder) {
    throw new Error(
      `${dataOption} is not the data folder of a control plane: ${join(dataOption, "store")} does not exist`,
    );
  }
  if (!isFolder || (isElsewhere && dataOption === undefined)) return fromServer(options, terminal);
  const { openSqliteStore, StoreInUse } = await import("../../store/index.js");
  const { backup } = await import("../../plane/backup/backup.js");
  try {
    const store = await openSqliteStore(join(data, "store"));
    return closing(
      backup(store, {
        signal: terminal.signal,
        onProgress: ({ entries, count }) => progress.show(`saving: ${entries} of ${count} entries`),
      }),
      () => store.close(),
    );
  } catch (error) {
    if (!(error instanceof StoreInUse)) throw error;
    // Without --data, the kubeconfig of the current folder is found by itself.
    const named = options["data"] === undefined ? {} : { kubeconfig: join(data, "kubeconfig") };
    return fromServer({ ...named, ...options }, terminal);
  }
}

async function fromServer(options: OptionValues, terminal: Terminal): Promise<AsyncIterable<Uint8Array>> {
  const { connect } = await import("../server/connect.js");
  const { download } = await import("../server/download.js");
  await using connected = await connect(options, terminal);
  return download(connected.connection, {
    path: "backup?follow=true",
    title: "take a backup",
    accept: "application/gzip, application/json",
    userAgent: `fettle/${terminal.version}`,
    signal: terminal.signal,
  });
}

async function* closing(
  stream: AsyncIterable<Uint8Array>,
  close: () => Promise<void>,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* stream;
  } finally {
    await close();
  }
}

function megabytes(bytes: number): string {
  return bytes < 100_000 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
