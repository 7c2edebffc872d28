import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { full, mebibytes, milliseconds, patience, percentile } from "../load/figures.js";
import { startLoadServer, type LoadServer } from "../load/load-server.js";
import { codesOf, runAttack, type Attack, type Outcome } from "./attack.js";
import { openApi } from "./attacks/documents.js";
import {
  convertedLists,
  deleteCollection,
  longSelector,
  selectorWithoutMatch,
  stoppedReaders,
} from "./attacks/large-lists.js";
import {
  growingObject,
  manyKeys,
  manyOwners,
  patchesOfLeavingClients,
  patchesOfOneObject,
  patternFromObject,
  yamlBodies,
} from "./attacks/large-objects.js";
import { conflictingApplies, crowdedMetadata, manyOperations } from "./attacks/patches.js";
import { LongTurns } from "./turns.js";

/** Shows what the machine itself makes the other user wait. */
const noAttack: Attack = {
  name: "none",
  codes: [200],
  async run(attacker) {
    for (let count = 0; count < 200; count++) await attacker.ask("GET", "/api/v1/namespaces/default");
    return [];
  },
};

/**
 * Sequences of requests by one user, and what another user sees of them. Attacks of a group share a server, and run one after the
 * other: some use what those before them have created.
 */
const groups: Readonly<Record<string, readonly Attack[]>> = {
  "nothing, for comparison": [noAttack],
  "large objects": [growingObject, manyOwners, manyKeys, patternFromObject, yamlBodies],
  patches: [conflictingApplies, manyOperations, crowdedMetadata],
  "contended objects": [patchesOfOneObject, patchesOfLeavingClients],
  "large lists": [longSelector, selectorWithoutMatch, stoppedReaders, convertedLists, deleteCollection],
  documents: [openApi],
};

/** Memory in MiB that an attack may take up. Its objects and lists are many times larger at full size. */
const allowance = 400;

/** Times that another user must be answered while an attack runs that takes this many milliseconds for each. */
const perAnswer = 2000;

const table: string[][] = [
  [
    "attack",
    "duration",
    "answers",
    "GET median",
    "99 %",
    "worst",
    "/livez 99 %",
    "worst",
    "longest turn",
    "memory",
  ],
];

function addRow(attack: Attack, { answers, probes, duration, before, peak, turns }: Outcome): void {
  const { get, livez } = probes;
  table.push([
    attack.name,
    milliseconds(duration),
    JSON.stringify(codesOf(answers)),
    ...[0.5, 0.99, 1].map((share) => milliseconds(percentile(get.latencies, share))),
    ...[0.99, 1].map((share) => milliseconds(percentile(livez.latencies, share))),
    turns.length === 0 ? "-" : milliseconds(Math.max(...turns)),
    `${mebibytes(before)} → ${mebibytes(peak)}`,
  ]);
}

afterAll(() => {
  const widths = (table[0] ?? []).map((_, column) =>
    Math.max(...table.map((row) => row[column]?.length ?? 0)),
  );
  const lines = table.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  "));
  const title = `Another user during each attack${full ? "" : " (short version)"}`;
  // Latencies include the waits for a processor on a busy machine; "none" shows how long these are.
  const note =
    "longest turn: processor time of the longest turn of the server's event loop that others wait for";
  console.log(`${title}\n${lines.join("\n")}\n${note}`);
});

describe.each(Object.entries(groups))("attacks with %s", (_, attacks) => {
  const turns = new LongTurns();
  let server: LoadServer;
  let failed = false;
  beforeAll(async () => {
    server = await startLoadServer({}, { env: turns.env });
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    turns[Symbol.dispose]();
  });
  afterEach(({ task }) => {
    failed ||= task.result?.state === "fail";
  });

  for (const attack of attacks) {
    test(
      `${attack.name}: memory is bounded, and another user is answered meanwhile`,
      async ({ skip }) => {
        skip(failed, "an earlier attack on the same server failed");
        const outcome = await runAttack(server, attack, turns);
        addRow(attack, outcome);
        const { answers, probes, duration, before, peak } = outcome;
        for (const { code, message } of answers) {
          expect(attack.codes, `${code} ${message}`).toContain(code);
        }
        expect(peak).toBeLessThan(before + allowance);
        for (const { latencies, failures } of [probes.get, probes.livez]) {
          expect(failures).toEqual({});
          expect(latencies.length).toBeGreaterThan(Math.floor(duration / perAnswer));
        }
      },
      patience,
    );
  }
});
