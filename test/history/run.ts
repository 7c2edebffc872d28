import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Choices } from "../fuzz/choices.js";
import { ServerProcess, type ProcessOptions, type ProcessPlace } from "../server/server-process.js";
import { HttpClient, type Target } from "./clients/http-client.js";
import { Reader } from "./clients/reader.js";
import { Recording } from "./clients/recording.js";
import { definition, definitionsPath } from "./clients/registers.js";
import { Watcher, type WatcherOptions } from "./clients/watcher.js";
import { Writer } from "./clients/writer.js";
import type { History } from "./history.js";

export interface RunOptions extends ProcessPlace {
  /** Chooses the requests; the order in which they arrive still differs from run to run. */
  readonly seed: number;
  readonly storeOptions?: ProcessOptions["storeOptions"];
  /** Faults during the run. The run ends when it resolves. */
  readonly disturb: (run: Run) => Promise<void>;
}

/** A server under load, as those see it who disturb it. */
interface Run {
  readonly server: ServerProcess;
  readonly recording: Recording;
  readonly choices: Choices;
  /** Kills the server and starts it again on its data; `between` runs while it is down. */
  restart(signal?: NodeJS.Signals, between?: () => void): Promise<void>;
}

const writers = 6;
const readers = 3;
const watchers: readonly WatcherOptions[] = [
  { disconnects: true },
  { disconnects: true },
  { disconnects: true, side: "left" },
  { disconnects: true, side: "right" },
  { disconnects: false },
];

/** Writes that are read once more at the end. */
const replayed = 40;

const token = "token-for-histories";

/** Runs clients against a server that is disturbed, and returns what they have seen. */
export async function recordHistory({ seed, storeOptions, disturb, ...place }: RunOptions): Promise<History> {
  const folder = mkdtempSync(join(tmpdir(), "fettle-history-"));
  const tokenFile = join(folder, "tokens");
  writeFileSync(tokenFile, `${token},historian,1,"system:masters"\n`, { mode: 0o600 });
  try {
    await using server = new ServerProcess(
      { tls: false, tokenFile, ...(storeOptions && { storeOptions }) },
      place,
    );
    await server.up;
    const clients = new Clients(seed, server, { url: server.url, token });
    await clients.define();
    try {
      await Promise.race([clients.run(disturb), clients.failure]);
    } finally {
      await clients.stop();
    }
    return clients.history();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** All clients of a run. */
class Clients implements Run {
  readonly server: ServerProcess;
  readonly recording = new Recording();
  readonly choices: Choices;
  /** Rejects when a client or the server fails in a way that is not part of the run. */
  readonly failure: Promise<never>;
  #fail: (error: Error) => void = () => {};
  readonly #seed: number;
  readonly #target: Target;
  readonly #http: HttpClient[] = [];
  readonly #loops: Promise<void>[] = [];
  readonly #writers: readonly Writer[];
  readonly #readers: readonly Reader[];
  readonly #reference: Watcher;
  readonly #watchers: Watcher[];
  #isStopping = false;
  #isWriting = true;
  #isRestarting = false;

  constructor(seed: number, server: ServerProcess, target: Target) {
    this.#seed = seed;
    this.server = server;
    this.#target = target;
    this.choices = new Choices(seed);
    this.failure = new Promise((_, reject) => (this.#fail = reject));
    this.failure.catch(() => {});
    const each = <Item>(count: number, make: (index: number) => Item): Item[] =>
      Array.from({ length: count }, (_, index) => make(index));
    this.#writers = each(writers, (index) => {
      return new Writer(`w${index}`, this.#connect(), this.recording, new Choices(seed, 1, index));
    });
    this.#readers = each(readers, (index) => {
      return new Reader(`reader-${index}`, this.#connect(), this.recording, new Choices(seed, 2, index));
    });
    this.#reference = this.#watcher("reference", { disconnects: false });
    this.#watchers = watchers.map((options, index) => this.#watcher(`watcher-${index}`, options));
  }

  async define(): Promise<void> {
    const { code, text } = await this.#connect().ask(definitionsPath, { method: "POST", body: definition });
    if (code !== 201) throw new Error(`the definition was refused with ${code}: ${text}`);
  }

  async run(disturb: RunOptions["disturb"]): Promise<void> {
    void this.#watchServer();
    // The reference watch begins before the first write.
    await this.#reference.turn();
    this.#follow(this.#reference);
    for (const writer of this.#writers)
      this.#repeat(
        () => writer.turn(),
        () => this.#isWriting,
      );
    for (const reader of this.#readers) this.#repeat(() => reader.turn());
    for (const watcher of this.#watchers) this.#follow(watcher);
    await disturb(this);
    this.#isWriting = false;
    await this.#catchUp();
    // Once more from the disk, by a server that has nothing of it in memory.
    await this.restart("SIGKILL");
    const from = this.recording.revisions.at(-replayed) ?? this.recording.revisions[0];
    const replay = this.#watcher("replay", { disconnects: false, ...(from !== undefined && { from }) });
    this.#watchers.push(replay);
    this.#follow(replay);
    await this.#catchUp();
    for (const reader of this.#readers) await reader.list({});
  }

  async restart(signal: NodeJS.Signals = "SIGKILL", between = (): void => {}): Promise<void> {
    this.#isRestarting = true;
    await this.server.stop(signal);
    between();
    await this.server.start();
    this.#isRestarting = false;
    void this.#watchServer();
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    for (const watcher of [this.#reference, ...this.#watchers]) watcher.close();
    for (const http of this.#http) http[Symbol.dispose]();
    await Promise.allSettled(this.#loops);
  }

  history(): History {
    return {
      operations: this.recording.operations,
      watches: this.#watchers.map(({ record }) => record),
      reference: this.#reference.record,
    };
  }

  /** Writes one last object for every selector, and waits until all watchers have received theirs. */
  async #catchUp(): Promise<void> {
    const marks = { left: 0, right: 0 };
    const [writer] = this.#writers;
    for (const side of ["left", "right"] as const) {
      while (marks[side] === 0 && !this.#isStopping) {
        await this.server.up;
        marks[side] = (await writer?.put("apply", `end-${side}`, side))?.revision ?? 0;
      }
    }
    await Promise.all(
      [this.#reference, ...this.#watchers].map((watcher) =>
        watcher.reaches(marks[watcher.record.side ?? "right"]),
      ),
    );
  }

  #connect(): HttpClient {
    const http = new HttpClient(this.#target);
    this.#http.push(http);
    return http;
  }

  #watcher(name: string, options: WatcherOptions): Watcher {
    const choices = new Choices(this.#seed, 3, this.#http.length);
    return new Watcher(name, this.#connect(), this.recording, choices, options);
  }

  #follow(watcher: Watcher): void {
    this.#repeat(() => watcher.turn());
  }

  /** Repeats something while a server is up, until the run ends. */
  #repeat(turn: () => Promise<void>, condition = (): boolean => true): void {
    const loop = async (): Promise<void> => {
      while (!this.#isStopping && condition()) {
        await Promise.race([this.server.up, this.failure]);
        await turn();
        // Also after a response that came at once, so that the other clients and timers get their turn.
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    const running = loop();
    this.#loops.push(running);
    running.catch((error: unknown) => this.#fail(error instanceof Error ? error : new Error(String(error))));
  }

  /** Fails the run when the server exits by itself. */
  async #watchServer(): Promise<void> {
    const { code, signal, stderr } = await this.server.exit;
    if (this.#isRestarting || this.#isStopping) return;
    this.#fail(new Error(`the server exited by itself (${code ?? signal}):\n${stderr}`));
  }
}
