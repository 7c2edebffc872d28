import { existsSync } from "node:fs";
import { open, rename, rm, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { UsageError, type Command, type Terminal } from "../../command/command.js";
import { connect, type ServerConnection } from "../../server/connect.js";
import { durationOption, textOption, connectionOptions } from "../../command/options.js";
import { startProgress } from "../../terminal/progress.js";

/** Kinds of profiles, with the extension of the file and where it is opened. */
const kinds = {
  cpu: { extension: "cpuprofile", opened: "Chrome's DevTools (Performance) or in VS Code" },
  heap: { extension: "heapprofile", opened: "Chrome's DevTools (Memory, Load profile) or in VS Code" },
  heapsnapshot: { extension: "heapsnapshot", opened: "Chrome's DevTools (Memory, Load profile)" },
} as const;

export const profile: Command = {
  description:
    "Record a profile of the control plane, for Chrome's DevTools and VS Code. Default: CPU usage, a .cpuprofile file. With --heap: the allocations that are still alive at the end, by the code that made them, a .heapprofile file; the control plane keeps working meanwhile, a little slower. With --snapshot: every object in memory and what refers to it, a .heapsnapshot file. A snapshot stops the control plane for about a second per 100 MiB of heap, needs as much memory again, contains secrets, and is for administrators only.",
  options: [
    ...connectionOptions,
    { flags: "--duration <seconds>", summary: "duration, such as 60, 30s or 2m (default: 10)" },
    { flags: "--heap", summary: "profile allocations instead of CPU usage" },
    { flags: "--snapshot", summary: "take a snapshot of the heap, for memory leaks" },
    {
      flags: "--output <file>",
      summary: "output file (default: fettle-DATE with the extension of the profile)",
    },
  ],
  examples: [
    ["fettle debug profile --duration 60", "CPU usage for a minute"],
    ["fettle debug profile --duration 10 --output slow.cpuprofile", "to a given file"],
    ["fettle debug profile --heap --duration 60", "allocations of a minute that are still alive"],
    ["fettle debug profile --snapshot", "the whole heap"],
  ],
  async run(_, options, terminal) {
    const duration = await durationOption(options, "duration");
    const seconds = (duration ?? 10_000) / 1000;
    if (!Number.isInteger(seconds) || seconds < 1 || seconds > 600) {
      throw new UsageError("invalid --duration; use whole seconds from 1 to 600");
    }
    const [heap, snapshot] = [options["heap"] === true, options["snapshot"] === true];
    if (heap && snapshot) throw new UsageError("--heap cannot be combined with --snapshot");
    if (snapshot && duration !== undefined) throw new UsageError("--snapshot takes no --duration");
    const kind = snapshot ? "heapsnapshot" : heap ? "heap" : "cpu";
    const { extension, opened } = kinds[kind];
    const { cwd, stdout } = terminal;
    const date = new Date().toISOString().replaceAll(/[:.]/g, "-");
    const file = textOption(options, "output") ?? `fettle-${date}.${extension}`;
    const path = resolve(cwd, file);
    // Checked now, before the profile is taken.
    if (!existsSync(dirname(path))) throw new UsageError(`the folder ${dirname(path)} does not exist`);
    await using server = await connect(options, terminal);
    using progress = startProgress(terminal);
    const { server: url } = server.connection;
    if (kind === "heapsnapshot") {
      progress.show(`taking a snapshot of the heap of ${url}, which stands still meanwhile`);
      await saveSnapshot(server, path, terminal);
    } else {
      progress.show(`profiling ${url} for ${seconds} s`);
      await writeFile(path, JSON.stringify(await server.plane.profile(seconds, kind)));
    }
    progress.clear();
    stdout.write(`wrote ${file}: open it in ${opened}\n`);
  },
};

/** Writes a snapshot to a file that only its owner may read; an incomplete one is removed. */
async function saveSnapshot(
  { connection }: ServerConnection,
  path: string,
  { version, signal }: Terminal,
): Promise<void> {
  const { download } = await import("../../server/download.js");
  const part = `${path}.part`;
  const handle = await open(part, "w", 0o600);
  try {
    let end = "";
    const chunks = download(connection, {
      path: "profile?type=heapsnapshot&follow=true",
      title: "take a snapshot of the heap",
      accept: "application/json",
      userAgent: `fettle/${version}`,
      signal,
    });
    for await (const chunk of chunks) {
      await handle.writeFile(chunk);
      end = Buffer.from(chunk).toString("utf8").trimEnd().slice(-1) || end;
    }
    if (end !== "}")
      throw new Error("the server closed the connection before the snapshot was complete; was it stopped?");
    await handle.close();
    await rename(part, path);
  } catch (error) {
    await handle.close();
    await rm(part, { force: true });
    throw error;
  }
}
