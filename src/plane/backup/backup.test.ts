import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createClient } from "../../client/create-client.js";
import { isExpired, VirtualClock } from "../../model/index.js";
import { startApi } from "../../server/index.js";
import {
  Compacted,
  MemoryStore,
  openSqliteStore,
  StoreInUse,
  verifySqliteStore,
  type Store,
} from "../../store/index.js";
import { inProcess } from "../in-process.js";
import { backup } from "./backup.js";
import { BackupDamaged } from "./format.js";
import { readBackup } from "./read-backup.js";
import { restore, RestoreRefused } from "./restore.js";

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "fettle-backup-"))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const bytes = (text: string) => new TextEncoder().encode(text);
const put = (store: Store, key: string, value: string, ttl?: number) =>
  store.commit([{ type: "put", key, value: bytes(value), ttl }]);

async function whole(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Splits bytes into chunks of different sizes, so that lines and values are cut anywhere. */
async function* cut(content: Uint8Array, size = 7): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < content.length; at += size) yield content.subarray(at, at + size);
}

async function contents(store: Store, revision?: number): Promise<[string, string][]> {
  const { entries } = await store.range({ prefix: "", ...(revision !== undefined && { revision }) });
  return entries.map(({ key, value }) => [key, Buffer.from(value).toString()]);
}

async function restored<T>(content: Uint8Array, look: (store: Store) => Promise<T>): Promise<T> {
  const data = join(folder, "new");
  await restore(cut(content, 4096), data);
  const store = await openSqliteStore(join(data, "store"));
  try {
    return await look(store);
  } finally {
    await store.close();
  }
}

test("backs up one revision during a thousand writes, and restores it", async () => {
  await using store = await openSqliteStore(join(folder, "old"));
  for (let number = 0; number < 500; number++) await put(store, `/k/${number}`, `first ${number} ü`);
  const writes = Array.from({ length: 1000 }, async (_, number) => {
    if (number % 10 === 9) await store.commit([{ type: "delete", key: `/k/${number % 500}` }]);
    else await put(store, `/k/${(number * 7) % 700}`, `then ${number}`);
  });
  const content = await whole(backup(store));
  await Promise.all(writes);
  const [header] = gunzipSync(content).toString().split("\n", 1);
  const { revision, count } = JSON.parse(header ?? "") as { revision: number; count: number };
  const then = await contents(store, revision);
  expect(then).toHaveLength(count);
  expect(await restored(content, contents)).toEqual(then);
  expect(verifySqliteStore(join(folder, "new", "store"))).toEqual([]);
});

test("restores with revisions that were never used before", async () => {
  await using store = await openSqliteStore(join(folder, "old"));
  await put(store, "/a", "1");
  const content = await whole(backup(store));
  for (let number = 0; number < 20; number++) await put(store, "/a", `lost ${number}`);
  const { revision: last } = await store.status();
  await restored(content, async (store) => {
    const { revision, floor } = await store.status();
    expect(floor).toBe(revision);
    expect((await store.get("/a"))?.revision).toBeGreaterThan(last);
    const next = await put(store, "/b", "2");
    expect(next.revision).toBe(revision + 1);
    await expect(async () => {
      for await (const _ of store.watch({ prefix: "", from: last }));
    }).rejects.toThrow(Compacted);
  });
});

test("responds 410 to watches and 409 to updates that started before the restore", async () => {
  const kept = new MemoryStore();
  const before = await startApi({ store: kept });
  const old = createClient({ transport: inProcess(before) });
  const configMap = (name: string) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } });
  const made = await old.create({ ...configMap("one"), data: { a: "1" } });
  const content = await whole(backup(kept));
  const lost = await old.update({ ...made, data: { a: "2" } });
  const { resourceVersion } = await old.list("v1/ConfigMap");
  await before.close();
  await restored(content, async (store) => {
    const api = await startApi({ store });
    const client = createClient({ transport: inProcess(api) });
    const again = await client.get("v1/ConfigMap", "one");
    expect(again).toMatchObject({ data: { a: "1" }, metadata: { uid: made.metadata.uid } });
    expect(Number(again.metadata.resourceVersion)).toBeGreaterThan(Number(lost.metadata.resourceVersion));
    await expect(client.update({ ...lost, data: { a: "3" } })).rejects.toThrow(/modified/);
    const watching = async () => {
      for await (const _ of client.watch("v1/ConfigMap", { resourceVersion }));
    };
    await expect(watching()).rejects.toSatisfy(isExpired);
    await api.close();
  });
});

test("keeps the expiry of entries", async () => {
  const clock = new VirtualClock();
  await using store = new MemoryStore({ clock });
  await put(store, "/short", "1", 60_000);
  const content = await whole(backup(store, { clock }));
  await clock.advance(20_000);
  const data = join(folder, "new");
  await restore(cut(content), data, { clock });
  await using again = await openSqliteStore(join(data, "store"), { clock: new VirtualClock() });
  const expires = (await again.get("/short"))?.expires ?? 0;
  expect(Math.round((expires - Date.now()) / 10_000)).toBe(4);
});

test("starts again when the revision is compacted during the backup", async () => {
  await using store = new MemoryStore();
  for (let number = 0; number < 350; number++) await put(store, `/k/${number}`, `first ${number}`);
  let pages = 0;
  const forgetful: Store = new Proxy(store, {
    get: (target, name) => {
      if (name !== "range") {
        const found: unknown = Reflect.get(target, name);
        return typeof found === "function" ? (found.bind(target) as unknown) : found;
      }
      return async (options: Parameters<Store["range"]>[0]) => {
        if (++pages === 2) {
          await put(store, "/k/1", "second");
          await store.compact((await store.status()).revision);
        }
        return target.range(options);
      };
    },
  });
  const content = await whole(backup(forgetful));
  expect(
    gunzipSync(content)
      .toString()
      .match(/"fettle":"backup"/g),
  ).toHaveLength(2);
  expect(await restored(content, contents)).toEqual(await contents(store));
});

test("backs up an empty store and binary values", async () => {
  await using store = new MemoryStore();
  expect(await restored(await whole(backup(store)), contents)).toEqual([]);
  rmSync(join(folder, "new"), { recursive: true });
  const value = Uint8Array.from({ length: 512 }, (_, index) => index % 256);
  await store.commit([
    { type: "put", key: "/bytes \n", value },
    { type: "put", key: "/none", value: bytes("") },
  ]);
  for await (const part of readBackup(cut(await whole(backup(store)), 1))) {
    if (part.type === "entry" && part.key === "/bytes \n")
      expect(Buffer.from(part.value)).toEqual(Buffer.from(value));
  }
});

describe("a restore fails and leaves nothing behind", () => {
  let content: Buffer;
  beforeEach(async () => {
    await using store = new MemoryStore();
    for (let number = 0; number < 50; number++)
      await put(store, `/k/${number}`, `value ${number}`.repeat(20));
    content = await whole(backup(store));
  });
  const refused = async (stream: Uint8Array, text: RegExp = /./) => {
    const attempt = restore(cut(stream, 1024), join(folder, "deep", "new"));
    await expect(attempt).rejects.toThrow(BackupDamaged);
    await expect(attempt).rejects.toThrow(text);
    expect(readdirSync(folder)).toEqual([]);
  };

  const unreadable = (stream: Uint8Array, text: RegExp = /./) =>
    expect(async () => {
      for await (const _ of readBackup(cut(stream, 64)));
    }).rejects.toSatisfy((error) => error instanceof BackupDamaged && text.test(error.message));

  test("when the backup is truncated anywhere", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: content.length - 1 }), async (length) => {
        await unreadable(content.subarray(0, length), /is incomplete/);
      }),
    );
    await refused(content.subarray(0, -1), /is incomplete/);
  });

  test("when a bit of the backup is flipped", async () => {
    const plain = gunzipSync(content);
    await fc.assert(
      fc.asyncProperty(fc.nat(plain.length - 1), fc.nat(7), async (place, bit) => {
        const damaged = Buffer.from(plain);
        damaged[place] = (damaged[place] ?? 0) ^ (1 << bit);
        await unreadable(gzipSync(damaged));
      }),
    );
    const damaged = Buffer.from(content);
    damaged[content.length >> 1] = (damaged[content.length >> 1] ?? 0) ^ 0xff;
    await refused(damaged);
  });

  test("when there is data after the end, the file is not a backup, or its format is newer", async () => {
    await refused(gzipSync(Buffer.concat([gunzipSync(content), bytes("more\n")])), /data after its end/);
    await refused(bytes("apiVersion: v1\n"), /not a Fettle backup/);
    await refused(gzipSync("{}\n"), /not a Fettle backup/);
    const newer = gunzipSync(content).toString().replace('"format":1', '"format":2');
    await refused(gzipSync(newer), /format 2 of a newer Fettle.*up to 1; upgrade/);
  });

  test("when the folder is not empty, unless forced, which renames the old store", async () => {
    const data = join(folder, "used");
    await mkdir(data);
    await writeFile(join(data, "kubeconfig"), "mine");
    const old = await openSqliteStore(join(data, "store"));
    await put(old, "/old", "1");
    await expect(restore(cut(content), data)).rejects.toThrow(RestoreRefused);
    await expect(restore(cut(content), data, { force: true })).rejects.toThrow(StoreInUse);
    await old.close();
    await expect(restore(cut(content.subarray(9)), data, { force: true })).rejects.toThrow(BackupDamaged);
    expect(readdirSync(data).sort()).toEqual(["kubeconfig", "store"]);

    const { replaced = "", entries } = await restore(cut(content), data, { force: true });
    expect(entries).toBe(50);
    await using before = await openSqliteStore(replaced);
    expect(await contents(before)).toEqual([["/old", "1"]]);
    await using now = await openSqliteStore(join(data, "store"));
    expect(await contents(now)).toHaveLength(50);
  });
});

test("throws errors of the store to the reader", async () => {
  const store = new MemoryStore();
  await put(store, "/a", "1");
  const reading = backup(store);
  await store.close();
  await expect(whole(reading)).rejects.toThrow(/the store is closed/);
});
