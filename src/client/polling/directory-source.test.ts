import { mkdir, mkdtemp, rename, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { VirtualClock, type KubeObject } from "../../model/core.js";
import { directorySource, type DirectoryOptions } from "./directory-source.js";
import type { Poller } from "./poll.js";

type Note = KubeObject<{ text: string }>;

let directory: string;
let received: string[];
let parsed: string[];
let errors: string[];
let written = 0;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "fettle-directory-"));
  received = [];
  parsed = [];
  errors = [];
});
afterEach(() => rm(directory, { recursive: true }));

/** Writes a file with a distinct modification time: the clock of a file system may be too coarse. */
async function write(name: string, content: unknown): Promise<void> {
  const path = join(directory, name);
  await writeFile(path, typeof content === "string" ? content : JSON.stringify(content));
  await utimes(path, 1, ++written);
}

function note(name: string, text: string, resourceVersion?: string): Note {
  const metadata = { name, ...(resourceVersion !== undefined && { resourceVersion }) };
  return { apiVersion: "demo.dev/v1", kind: "Note", metadata, spec: { text } };
}

function source(options: Partial<DirectoryOptions<Note>> = {}): Poller<Note> {
  return directorySource<Note>(directory, {
    clock: new VirtualClock(),
    parse(text, file) {
      parsed.push(file.name);
      return JSON.parse(text) as Note;
    },
    onChange: ({ type, object }) => void received.push(`${type} ${object.metadata.name}`),
    onError: (error) => void errors.push((error as Error).message),
    ...options,
  });
}

test("follows created, changed and deleted files, and reads only changed ones", async () => {
  await write("a.json", note("a", "1"));
  await write("b.json", note("b", "1"));
  await write(".hidden", note("hidden", "1"));
  await mkdir(join(directory, "below"));
  await using notes = source();
  await notes.refresh();
  expect(parsed.splice(0).toSorted()).toEqual(["a.json", "b.json"]);
  await write("a.json", note("a", "2"));
  await notes.refresh();
  expect(parsed.splice(0)).toEqual(["a.json"]);
  await rm(join(directory, "b.json"));
  await notes.refresh();
  expect(parsed).toEqual([]);
  expect(received).toEqual(["CREATED a", "CREATED b", "UPDATED a", "DELETED b"]);
});

test("a write without a change is not a change", async () => {
  await write("a.json", note("a", "1"));
  await using notes = source();
  await notes.refresh();
  const before = notes.get("a");
  await write("a.json", note("a", "1"));
  await notes.refresh();
  expect(received).toEqual(["CREATED a"]);
  expect(notes.get("a")).toBe(before);
});

test("notices a replaced file of equal size and time", async () => {
  await write("a.json", note("a", "1"));
  await using notes = source();
  await notes.refresh();
  await write("other.tmp", note("a", "2"));
  await utimes(join(directory, "other.tmp"), 1, written - 1);
  await rename(join(directory, "other.tmp"), join(directory, "a.json"));
  await notes.refresh();
  expect(notes.get("a")?.spec?.text).toBe("2");
});

test("a file can have several objects, or none", async () => {
  await write("all.json", [note("a", "1"), note("b", "1")]);
  await write("none.json", "null");
  await using notes = source();
  await notes.refresh();
  await write("all.json", [note("b", "2"), note("c", "1")]);
  await notes.refresh();
  expect(received).toEqual(["CREATED a", "CREATED b", "DELETED a", "UPDATED b", "CREATED c"]);
});

test("a manifest saved from a server can be edited", async () => {
  await write("a.json", note("a", "1", "42"));
  await using notes = source();
  await notes.refresh();
  await write("a.json", note("a", "2", "42"));
  await notes.refresh();
  expect(received).toEqual(["CREATED a", "UPDATED a"]);
});

test("an invalid file keeps its objects, is reported once, and does not affect others", async () => {
  await write("a.json", note("a", "1"));
  await using notes = source();
  await notes.refresh();
  await write("a.json", "{ half");
  await write("b.json", note("b", "1"));
  await write("c.json", { kind: "Note" });
  await notes.refresh();
  await notes.refresh();
  expect(received).toEqual(["CREATED a", "CREATED b"]);
  expect(errors.sort()).toEqual([
    expect.stringMatching(/a\.json cannot be converted to objects/),
    expect.stringMatching(/c\.json cannot be converted to objects/),
  ]);
  await write("a.json", note("a", "2"));
  await notes.refresh();
  expect(received.slice(2)).toEqual(["UPDATED a"]);
});

test("a missing directory is an error, not a deletion", async () => {
  await write("a.json", note("a", "1"));
  await using notes = source({ match: (name) => name.endsWith(".json") });
  await notes.refresh();
  const away = `${directory}-away`;
  await rename(directory, away);
  await expect(notes.refresh()).rejects.toThrow("ENOENT");
  await rename(away, directory);
  await notes.refresh();
  expect(received).toEqual(["CREATED a"]);
});
