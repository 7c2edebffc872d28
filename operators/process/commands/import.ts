import { readFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { connect, connectionOptions, textOption, UsageError, type Command, type Terminal } from "fettle/cli";
import { stringify } from "yaml";
import { importCompose } from "../import/compose.js";
import { ImportError, problemText } from "../import/import-problem.js";
import type { Imported } from "../import/manifest.js";
import { importProcfile } from "../import/procfile.js";

export const command: Command = {
  arguments: "<file>",
  description:
    "Convert a Procfile, or a YAML file of Docker Compose or process-compose, to processes. Prints manifests, or applies them with " +
    "--apply. What has no meaning outside of containers is left out with a warning.",
  options: [
    { flags: "--apply", summary: "create or update the processes instead of printing them" },
    {
      flags: "--format <format>",
      summary: "format of the file (default: by its name)",
      choices: ["procfile", "compose"],
    },
    ...connectionOptions,
  ],
  examples: [
    ["fettle import Procfile", "print the processes of a Procfile"],
    ["fettle import Procfile --apply", "create them, or update them"],
    ["fettle import compose.yaml > processes.yaml", "keep the manifests"],
  ],
  async run([file = ""], options, terminal) {
    const path = resolve(terminal.cwd, file);
    const { objects, warnings } = convert(
      path,
      textOption(options, "format"),
      textOption(options, "namespace"),
      terminal,
    );
    for (const warning of warnings) terminal.stderr.write(`Warning: ${file}:${problemText(warning)}\n`);
    if (options["apply"] !== true) {
      terminal.stdout.write(objects.map((each) => stringify(each)).join("---\n"));
      return;
    }
    await using server = await connect(options, terminal);
    for (const object of objects) {
      const { kind, metadata } = object;
      const named = { ...object, metadata: { namespace: server.namespace, ...metadata } };
      await server.client.apply(named, { force: true, signal: terminal.signal });
      terminal.stdout.write(`${kind.toLowerCase()}/${metadata.name} applied\n`);
    }
  },
};

function convert(
  path: string,
  format: string | undefined,
  namespace: string | undefined,
  { env }: Terminal,
): Imported {
  const text = readText(path);
  if (text === undefined) throw new UsageError(`${path} does not exist`);
  const folder = dirname(path);
  try {
    if (format === "compose" || (format === undefined && /\.ya?ml$/.test(path))) {
      const readFile = (name: string): string | undefined => readText(resolve(folder, name));
      return importCompose(text, { variables: env, readFile, namespace, folder });
    }
    if (format === undefined && !/procfile/i.test(basename(path))) {
      throw new UsageError(`the format of ${path} is unknown; use --format procfile or --format compose`);
    }
    return importProcfile(text, { env: readText(join(folder, ".env")), namespace, folder });
  } catch (error) {
    if (!(error instanceof ImportError)) throw error;
    throw new Error(`${path} cannot be imported:\n${error.message}`, { cause: error });
  }
}

/** Content of a file; undefined if it does not exist. */
function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    if (code === "EISDIR") throw new UsageError(`${path} is a folder; name a file in it, such as a Procfile`);
    throw error;
  }
}
