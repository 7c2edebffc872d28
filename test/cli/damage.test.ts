import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { Command, OptionValues } from "../../src/cli/command/command.js";
import { command as salvage } from "../../src/cli/commands/salvage.js";
import { command as verify } from "../../src/cli/commands/verify.js";
import { recordingTerminal } from "../../src/cli/fixtures/terminal.js";
import { ConfigMap } from "../../src/client/kinds/kubernetes.js";
import { controlPlane } from "../../src/plane/control-plane.js";
import { fettle } from "./fettle-process.js";

const page = 8192;

let base: string;
let intact: string;
let cwd: string;
const uids = new Map<string, string>();
beforeAll(async () => {
  base = mkdtempSync(join(tmpdir(), "fettle-damage-"));
  intact = join(base, "intact");
  await using plane = await controlPlane({ data: intact, listen: { port: 0 } });
  for (let index = 0; index < 60; index++) {
    const object = { metadata: { name: `lamp-${index}` }, data: { text: `this is ${index} `.repeat(200) } };
    const { metadata } = await plane.client.create(ConfigMap, object);
    uids.set(metadata.name ?? "", metadata.uid ?? "");
  }
});
beforeEach(() => {
  cwd = mkdtempSync(join(base, "test-"));
  cpSync(intact, join(cwd, ".fettle"), { recursive: true });
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

const database = (): string => join(cwd, ".fettle", "store", "store.db");

function overwrite(offset: number, bytes: Buffer): void {
  const content = readFileSync(database());
  bytes.copy(content, offset);
  writeFileSync(database(), content);
}

/** Overwrites the page that has a text; returns its number. */
function destroyPageWith(text: string): number {
  const at = readFileSync(database()).indexOf(text);
  expect(at).toBeGreaterThan(0);
  const number = Math.floor(at / page);
  overwrite(number * page, Buffer.alloc(page, 0xee));
  return number + 1;
}

async function run(command: Command, words: string[] = [], options: OptionValues = {}) {
  const terminal = recordingTerminal({ cwd });
  const code = await command.run?.(words, options, terminal);
  return { code, out: terminal.out() };
}

test.each(["at the start", "in the middle", "at the end"])(
  "a control plane whose store is damaged %s exits with what to do",
  async (where) => {
    const { size } = statSync(database());
    const offsets = { "at the start": 200, "in the middle": size / 2, "at the end": size - 100 };
    overwrite(Math.floor(offsets[where as keyof typeof offsets]), Buffer.from([0xee, 0x11]));
    const up = fettle(["up", "--port", "0"], { cwd });
    expect(await up.ended).toBe(1);
    expect(up.err()).toMatch(
      /store is damaged: page.*Intact: \d+ of \d+ pages.*fettle verify.*fettle restore.*fettle salvage/,
    );
    expect(up.out()).not.toContain("is up");
  },
);

test("a control plane does not start with an empty store in place of one that is missing", async () => {
  rmSync(database());
  const up = fettle(["up", "--port", "0"], { cwd });
  expect(await up.ended).toBe(1);
  expect(up.err()).toMatch(/store\.db, which was at revision \d+, is missing.*fettle restore/);
  expect(existsSync(database())).toBe(false);
  expect(await run(verify)).toMatchObject({ code: 1, out: expect.stringContaining("store.db is missing") });
});

test("verify tells an intact folder from a damaged one", async () => {
  expect(await run(verify)).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^\.fettle is intact: revision \d+, \d+ mutations, (\d+) of \1 pages/),
  });
  const number = destroyPageWith("this is 30 ");
  const before = readFileSync(database());
  const { code, out } = await run(verify);
  expect(code).toBe(1);
  expect(out).toContain(`page ${number} of store.db`);
  expect(out).toMatch(/lost: .*\/lamp-30 \(revision \d+\)/);
  expect(out).toMatch(/fettle restore FILE[^]*fettle salvage \.fettle/);
  const json = JSON.parse((await run(verify, [], { output: "json" })).out) as Record<string, unknown>;
  expect(json).toMatchObject({
    isIntact: false,
    problems: [{ file: "store.db" }],
    salvage: { isComplete: false },
  });
  expect(readFileSync(database())).toEqual(before);
  await expect(run(verify, [], { data: "nowhere" })).rejects.toThrow(/nowhere is not a data folder/);
});

test("salvage writes what can be proven to a new folder and lists what is lost", async () => {
  destroyPageWith("this is 30 ");
  const { code, out } = await run(salvage, [".fettle", "salvaged"]);
  expect(code).toBe(1);
  expect(out).toMatch(/^salvaged \d+ objects to salvaged/);
  const lost = [...out.matchAll(/lost: \S*\/(lamp-\d+) \(revision/g)].map(([, name]) => name);
  expect(lost).toContain("lamp-30");
  expect(JSON.parse(readFileSync(join(cwd, "salvaged", "salvage.json"), "utf8"))).toMatchObject({
    isComplete: false,
  });
  // Tokens and certificates are those of before.
  expect(readdirSync(join(cwd, "salvaged"))).toEqual(
    expect.arrayContaining(["auth", "kubeconfig", "store", "tls"]),
  );
  await using plane = await controlPlane({ data: join(cwd, "salvaged"), listen: { port: 0 } });
  const { items } = await plane.client.list(ConfigMap);
  const kept = new Map(items.map(({ metadata }) => [metadata.name, metadata.uid]));
  const expected = [...uids].filter(([name]) => !lost.includes(name));
  expect([...kept]).toEqual(expect.arrayContaining(expected));
  expect(expected.length + lost.length).toBe(uids.size);
  for (const { metadata } of items) expect(Number(metadata.resourceVersion)).toBeGreaterThan(1_000_000_000);
  await expect(run(salvage, [".fettle", "salvaged"])).rejects.toThrow(/is not empty/);
});

test("salvage of a folder that lost only checksums loses nothing", async () => {
  rmSync(join(cwd, ".fettle", "store", "store.sums"));
  expect(await run(salvage, [".fettle", "salvaged"], { output: "json" })).toMatchObject({
    out: expect.stringContaining('"lost": []'),
  });
});
