// @ts-check
/**
 * Runs one program in one temporary folder on behalf of a test, and runs a little longer than that test to clean up.
 * The test holds the other end of our standard input, so whatever becomes of it (end, exception, Ctrl-C, SIGKILL), the
 * kernel closes that pipe; then the program is stopped and the folder removed.
 *
 * Lines of JSON come in: {"start": Spec} · {"signal": name} · {"halt": name}. Each is answered with one line,
 * {"failed": message} when it went wrong; {"exited": …} is said unasked, before the answer to a halt. The first line
 * out names the folder.
 *
 * @typedef {import("./guardian.js").Spec} Spec
 */
import { spawn } from "node:child_process";
import { closeSync, mkdtempSync, openSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { attempt, signalInhabitants } from "./inhabitants.mjs";

const name = process.argv[2] ?? "component";
process.title = `guardian of ${name}`;
const dir = realpathSync(mkdtempSync(`${tmpdir()}/fettle-${name}-`));
/** @type {{ pid: number, over: Promise<void>, spec: Spec } | undefined} */
let program;

const say = (/** @type {object} */ message) => void process.stdout.write(`${JSON.stringify(message)}\n`);

/** @param {Spec} spec */
async function start(spec) {
  const log = openSync(`${dir}/output.log`, "a");
  const { command, args, uid, gid } = spec;
  const env = { ...spec.env, HOME: dir, TMPDIR: dir };
  const child = spawn(command, args, {
    cwd: dir,
    env,
    uid,
    gid,
    detached: true,
    stdio: ["ignore", log, log],
  });
  closeSync(log);
  /** @type {Promise<void>} */
  const over = new Promise((resolve) => {
    child.once("exit", (code, signal) => {
      attempt(() => process.kill(-Number(child.pid), "SIGKILL")); // The pid may be reused later.
      program = undefined;
      say({ exited: { pid: child.pid, code, signal } });
      resolve();
    });
  });
  await new Promise((resolve, reject) => child.once("spawn", resolve).once("error", reject));
  program = { pid: Number(child.pid), over, spec };
  return { pid: child.pid };
}

/** Stops the program by this signal, then kills its remaining processes. @param {NodeJS.Signals} signal */
async function halt(signal) {
  if (program !== undefined) {
    const { pid, over, spec } = program;
    attempt(() => process.kill(pid, signal));
    await signalInhabitants(dir, "SIGCONT");
    await Promise.race([over, sleep(spec.grace, undefined, { ref: false })]);
    if (program !== undefined) attempt(() => process.kill(-pid, "SIGKILL"));
    await over;
  }
  await signalInhabitants(dir, "SIGKILL");
}

/** @param {{ start?: Spec, signal?: NodeJS.Signals, halt?: NodeJS.Signals }} order */
async function obey({ start: spec, signal, halt: stop }) {
  if (spec) return start(spec);
  if (stop) return halt(stop);
  if (signal === "SIGSTOP" || signal === "SIGCONT") return signalInhabitants(dir, signal);
  if (signal && program) process.kill(program.pid, signal);
}

async function end() {
  await halt(program?.spec.stopSignal ?? "SIGTERM");
  rmSync(dir, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  process.exit();
}

let orders = Promise.resolve();
const endAfterOrders = () => void orders.then(end);
createInterface({ input: process.stdin })
  .on("line", (line) => {
    const answer = orders
      .then(() => obey(JSON.parse(line)))
      .catch((error) => ({ failed: String(error.message) }));
    orders = answer.then((message) => say(message ?? {}));
  })
  .on("close", endAfterOrders);
for (const stream of [process.stdin, process.stdout]) stream.on("error", endAfterOrders);
for (const event of ["SIGINT", "SIGTERM", "SIGHUP", "uncaughtException"]) process.on(event, () => void end());
say({ dir });
