import { request } from "node:http";
import { alice, bob, peakMemory, type LoadServer } from "../load/load-server.js";
import { startProbes, type Probes } from "./probe.js";
import type { LongTurns } from "./turns.js";

/** The attacker's side of an attack. */
export interface Attacker {
  readonly url: string;
  readonly token: string;
  /** Sends a request on a connection of its own. */
  ask(
    method: string,
    path: string,
    body?: object | string,
    headers?: Record<string, string>,
  ): Promise<Answer>;
}

export interface Answer {
  readonly code: number;
  /** Message of a Status, empty for other bodies. */
  readonly message: string;
}

/** A sequence of requests that is meant to exhaust the server. */
export interface Attack {
  readonly name: string;
  /** Status codes that the attacker may get. */
  readonly codes: readonly number[];
  /** Creates what the attack needs; not measured. */
  prepare?(attacker: Attacker): Promise<void>;
  run(attacker: Attacker): Promise<readonly Answer[]>;
}

/** The server during an attack, as others saw it. */
export interface Outcome {
  readonly answers: readonly Answer[];
  readonly probes: Probes;
  /** Duration in milliseconds. */
  readonly duration: number;
  /** Resident memory in MiB: before the attack, and the highest during it. */
  readonly before: number;
  readonly peak: number;
  /** Processor time in milliseconds of each long turn of the server's event loop. */
  readonly turns: readonly number[];
}

/** Runs an attack by one user while another sends small requests. */
export async function runAttack(server: LoadServer, attack: Attack, turns: LongTurns): Promise<Outcome> {
  const attacker = attackerOn(server.url);
  await attack.prepare?.(attacker);
  const before = (await server.usage()).memory;
  const stop = await startProbes(server.url, bob);
  turns.take();
  const begin = performance.now();
  const { result: answers, peak } = await peakMemory(server, () => attack.run(attacker));
  const duration = performance.now() - begin;
  return { answers, probes: await stop(), duration, before, peak, turns: turns.take() };
}

function attackerOn(url: string): Attacker {
  const ask: Attacker["ask"] = (method, path, body, more) =>
    new Promise((resolve) => {
      const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
      const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
      const headers = {
        authorization: `Bearer ${alice}`,
        ...(text !== undefined && { "content-type": type }),
        ...more,
      };
      const sent = request(new URL(path, url), { method, headers, agent: false }, (response) => {
        const code = response.statusCode ?? 0;
        const chunks: Buffer[] = [];
        // Successful answers may be hundreds of megabytes, and only their code matters.
        response.on("data", (chunk: Buffer) => code >= 400 && chunks.push(chunk));
        response.once("end", () => resolve({ code, message: messageOf(Buffer.concat(chunks)) }));
        response.once("error", (error) => resolve({ code: 0, message: error.message }));
      });
      sent.once("error", (error) => resolve({ code: 0, message: error.message }));
      sent.end(text);
    });
  return { url, token: alice, ask };
}

function messageOf(bytes: Buffer): string {
  try {
    return (JSON.parse(bytes.toString()) as { message?: string }).message ?? "";
  } catch {
    return bytes.toString("latin1", 0, 200);
  }
}

/** Number of answers by status code. */
export function codesOf(answers: readonly Answer[]): Record<number, number> {
  const codes: Record<number, number> = {};
  for (const { code } of answers) codes[code] = (codes[code] ?? 0) + 1;
  return codes;
}
