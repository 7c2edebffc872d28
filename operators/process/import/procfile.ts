import { readDotenv } from "./dotenv.js";
import { ImportError, sortedByPosition, type ImportProblem } from "./import-problem.js";
import { envOf, manifestOf, ObjectNames, type Imported, type ImportedObject } from "./manifest.js";
import { shellCommand } from "./shell-command.js";

export interface ProcfileOptions {
  /** Content of the `.env` file beside it. */
  readonly env?: string | undefined;
  /** Namespace of the objects. Default: none, so that they are created in the namespace of the client. */
  readonly namespace?: string | undefined;
  /** Absolute path of the folder in which the processes run, as a rule that of the file. */
  readonly folder?: string | undefined;
}

/** Difference between the ports of two processes if `.env` has a `PORT`, as in foreman. */
const portStep = 100;

/**
 * Converts a Procfile: one Process for every line `name: command`. A process whose command has `$PORT`, and the one named `web`, get a
 * port; it is allocated, unless `.env` has a `PORT`.
 *
 * @example
 * importProcfile("web: node web.js --port $PORT\nworker: node worker.js").objects;
 *
 * @throws {ImportError} with all invalid lines.
 */
export function importProcfile(text: string, options: ProcfileOptions = {}): Imported {
  const { env = "", namespace, folder } = options;
  const problems: ImportProblem[] = [];
  const warnings: ImportProblem[] = [];
  const dotenv = readDotenv(env);
  problems.push(...dotenv.problems.map((each) => ({ ...each, file: ".env" })));
  const shared = new Map(dotenv.variables);
  const basePort = shared.get("PORT");
  shared.delete("PORT");
  if (basePort !== undefined && !/^[1-9]\d{0,4}$/.test(basePort)) {
    problems.push({ file: ".env", line: 1, column: 1, message: `PORT is ${basePort}: use a port number` });
  }

  const names = new ObjectNames();
  const objects: ImportedObject[] = [];
  for (const [index, line] of text
    .replace(/^\uFEFF/, "")
    .split(/\r\n|\n|\r/)
    .entries()) {
    if (/^\s*(#|$)/.test(line)) continue;
    const report = (message: string, to = problems, column = 1) =>
      to.push({ line: index + 1, column, message });
    const [head = "", source, written = ""] = /^\s*([^\s:]+)\s*:\s*(.*?)\s*$/.exec(line) ?? [];
    if (source === undefined) {
      report(`expected "name: command", not ${JSON.stringify(line.trim().slice(0, 60))}`);
      continue;
    }
    const { name, problem, change } = names.add(source, index + 1);
    if (problem !== undefined) report(problem);
    if (change !== undefined) report(change, warnings);
    if (written === "") {
      report(`${source} has no command: write one after the colon`, problems, head.length + 1);
      continue;
    }
    if (written.includes("\0")) {
      report(`the command of ${source} contains a NUL character, which no process can receive`);
      continue;
    }
    const { command, env: assigned } = shellCommand(written);
    const port = basePort === undefined ? 0 : Number(basePort) + portStep * objects.length;
    const hasPort = (name === "web" || /\$(PORT\b|\{PORT\b)/.test(written)) && !assigned.has("PORT");
    if (hasPort && port > 65_535) report(`${source} would get port ${port}: use a lower PORT in .env`);
    const spec = {
      command,
      env: envOf(new Map([...shared, ...assigned])),
      ...(folder !== undefined && { workingDir: folder }),
      // Runs once for a deployment; `Always` would run a migration again and again.
      ...(name === "release" && { restart: { policy: "OnFailure" as const } }),
      ...(hasPort && { ports: [{ name: "http", ...(port !== 0 && { port }) }] }),
    };
    objects.push(manifestOf({ name, ...(namespace !== undefined && { namespace }) }, spec));
  }
  if (objects.length === 0 && problems.length === 0) {
    problems.push({ line: 1, column: 1, message: 'no processes: write lines such as "web: node web.js"' });
  }
  if (problems.length > 0) throw new ImportError(problems);
  return { objects, warnings: sortedByPosition(warnings) };
}
