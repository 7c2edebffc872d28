import { mkdtempSync, readFileSync, rmSync, existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient, httpTransport, loadConnection, type Client, type SpecInput } from "fettle";
import { expect, onTestFinished } from "vitest";
import { fettle, type FettleProcess } from "../../../test/cli/fettle-process.js";
import { testWithDice, type Dice } from "../../../test/runtime/faults/seed.js";
import { openLinuxDriver } from "../driver/linux/linux-driver.js";
import type { Attempt } from "../driver/driver.js";
import { Process, restartedAt, type ProcessObject } from "../kinds.js";

/** Number of kills; a plain test run does only a few. */
const kills = Number(process.env["FETTLE_PROCESS_KILLS"] ?? 6);
const count = kills < 20 ? 15 : 50;
const operator = new URL("..", import.meta.url).pathname;

/**
 * Program that writes its starts and exits to a journal. A lock that the kernel releases when it ends proves that no second one runs
 * at the same time.
 */
const program = `
use strict; use Fcntl ':flock';
my ($journal, $lifetime, $code) = @ARGV;
open(my $out, '>>', $journal) or die; open(my $lock, '>>', "$journal.lock") or die;
flock($lock, LOCK_EX | LOCK_NB) or do { syswrite $out, "duplicate $$\\n"; exit 99 };
$SIG{TERM} = sub { syswrite $out, "exit 0\\n"; exit 0 };
syswrite $out, "start $$\\n";
print "pid $$ started\\n";
if ($lifetime eq 'forever') { select(undef, undef, undef, 1) while 1 }
select(undef, undef, undef, $lifetime);
syswrite $out, "exit $code\\n"; exit $code;
`;

/** Behaviour of a process: it runs until it is stopped, is restarted when it crashes, or ends once. */
type Behaviour = "untouched" | "server" | "crashing" | "task";
const behaviours: readonly Behaviour[] = ["untouched", "server", "crashing", "task"];

class Workshop {
  readonly folder = mkdtempSync(join(tmpdir(), "fettle-kills-"));
  /** Below the ports that processes get. It stays the same, so that clients find the next start. */
  readonly #port = 10_000 + Math.floor(Math.random() * 9000);

  get data(): string {
    return join(this.folder, "data");
  }

  journal(name: string): string {
    return join(this.folder, `${name}.journal`);
  }

  start(): FettleProcess {
    return fettle(["up", operator, "--data", this.data, "--port", String(this.#port), "--log", "json"], {
      cwd: this.folder,
      env: { XDG_STATE_HOME: join(this.folder, "state") },
    });
  }

  async client(): Promise<Client> {
    const connection = await loadConnection({ kubeconfig: join(this.data, "kubeconfig") });
    return createClient({ transport: httpTransport({ connection }) });
  }

  spec(name: string, behaviour: Behaviour, dice: Dice): SpecInput<typeof Process> {
    const lifetime =
      behaviour === "untouched" || behaviour === "server" ? "forever" : `${0.1 + dice.below(30) / 10}`;
    const code = behaviour === "task" ? dice.below(3) : 1 + dice.below(100);
    return {
      command: ["perl", "-e", program, this.journal(name), lifetime, String(code)],
      restart: {
        policy: behaviour === "task" ? "Never" : "Always",
        backoff: { initial: "200ms", max: "1s" },
      },
      stop: { grace: "1m" },
      logs: { history: 100 },
    };
  }
}

testWithDice(
  `${count} processes survive ${kills} kills of Fettle: none is lost, doubled or restarted for nothing`,
  async (dice) => {
    const workshop = new Workshop();
    onTestFinished(() => rmSync(workshop.folder, { recursive: true, force: true }));
    const names = Array.from({ length: count }, (_, index) => `${behaviours[index % 4]}-${index}`);
    let up = workshop.start();
    await up.says(/fettle is up/);
    const client = await workshop.client();
    for (const name of names) {
      const behaviour = name.split("-")[0] as Behaviour;
      await client.create(Process, { metadata: { name }, spec: workshop.spec(name, behaviour, dice) });
    }
    for (let round = 0; round < kills; round++) {
      const alive = new AbortController();
      const working = work(client, names, dice, alive.signal);
      // At the start, in the middle of work, or when it is idle.
      await wait(dice.pick([20, 200, 600, 1500]) + dice.below(400));
      up.process.kill("SIGKILL");
      await up.ended;
      alive.abort();
      await working;
      up = workshop.start();
      if (dice.chance(0.3)) await wait(dice.below(400)); // killed while it starts
      else await up.says(/fettle is up/);
      if ((round + 1) % 25 === 0) console.log(`  killed ${round + 1} of ${kills} times`);
    }
    await up.says(/fettle is up/);
    const running = names.filter((name) => !name.startsWith("task"));
    for (const name of running) await client.patch(Process, name, { spec: { suspend: false } });
    await untilAll(
      client,
      running,
      ({ status }) => status?.state === "Running" || status?.state === "Backoff",
    );

    // Nothing was lost: what should run does, once, and all untouched processes are still the first attempt.
    const pids = new Map<string, number>();
    for (const { metadata, status } of (await client.list(Process)).items) {
      const { name = "" } = metadata;
      if (name.startsWith("untouched")) {
        expect(status, name).toMatchObject({ state: "Running", attempt: 1, restarts: 0 });
        process.kill(status?.pid ?? 0, 0);
        pids.set(name, status?.pid ?? 0);
      }
    }
    for (const [name, pid] of pids) expect(journalOf(workshop, name)).toEqual([`start ${pid}`]);

    for (const name of names) await client.patch(Process, name, { spec: { suspend: true } });
    await untilAll(client, names, ({ status }) =>
      ["Stopped", "Completed", "Failed"].includes(status?.state ?? ""),
    );
    const uids = new Map(
      (await client.list(Process)).items.map(({ metadata }) => [metadata.name ?? "", metadata.uid ?? ""]),
    );
    up.process.kill("SIGTERM");
    expect(await up.ended, up.err()).toBe(0);
    await using driver = await openLinuxDriver({ folder: join(workshop.data, "operators", "process") });
    for (const name of names) {
      const attempts = await driver.inspect(uids.get(name) ?? "");
      const recorded = exitsOf(attempts);
      const journal = journalOf(workshop, name).map(startsAndExits);
      // Of a process that crashed very often, only the last attempts are kept.
      const isWhole = attempts[0]?.number === 1;
      expect(recorded, `exits of ${name}`).toEqual(isWhole ? journal : journal.slice(-recorded.length));
      expect(journal.filter((line) => line.startsWith("duplicate"))).toEqual([]);
      const numbers = attempts.map(({ number }) => number);
      expect(numbers).toEqual(numbers.map((_, index) => (numbers[0] ?? 1) + index));
    }
  },
  120_000 + kills * 15_000,
);

/** Starts, stops and restarts processes at random, until Fettle is gone. */
async function work(
  client: Client,
  names: readonly string[],
  dice: Dice,
  signal: AbortSignal,
): Promise<void> {
  const touched = names.filter((name) => name.startsWith("server") || name.startsWith("crashing"));
  for (let round = 0; !signal.aborted; round++) {
    const name = dice.pick(touched);
    const patch = dice.pick([
      { spec: { suspend: true } },
      { spec: { suspend: false } },
      { metadata: { annotations: { [restartedAt]: `${Date.now()}` } } },
      { spec: { env: [{ name: "ROUND", value: String(dice.below(1e6)) }] } },
    ]);
    try {
      await client.patch(Process, name, patch, { signal });
    } catch {
      return; // Fettle was killed.
    }
    await wait(dice.below(60));
  }
}

function journalOf(workshop: Workshop, name: string): string[] {
  const path = workshop.journal(name);
  return existsSync(path) ? readFileSync(path, "utf8").trimEnd().split("\n") : [];
}

/** Pids differ from what the record has only in their notation. */
function startsAndExits(line: string): string {
  return line.startsWith("start") ? "start" : line;
}

/** What the journal of a process has to contain by the record of its attempts. */
function exitsOf(attempts: readonly Attempt[]): string[] {
  return attempts.flatMap(({ exit, process: identity }) => {
    if (exit === undefined) return ["start"];
    // Stopped before the program had set its signal handler and written its first line.
    if (exit.cause === "Signaled" && exit.signal === "SIGTERM") return [];
    if (identity === undefined) return [`not started: ${exit.problem?.message}`];
    return ["start", exit.cause === "Exited" ? `exit ${exit.code}` : `${exit.cause} ${exit.signal}`];
  });
}

async function untilAll(
  client: Client,
  names: readonly string[],
  holds: (process: ProcessObject) => boolean,
): Promise<void> {
  const waiting = new Set(names);
  for await (const { object, type } of client.watch(Process, { signal: AbortSignal.timeout(110_000) })) {
    if (type === "DELETED") continue;
    const { name = "", generation } = object.metadata;
    if (object.status?.observedGeneration === generation && holds(object)) waiting.delete(name);
    if (waiting.size === 0) return;
  }
}

function wait(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
