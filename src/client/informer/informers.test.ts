import { describe, expect, test } from "vitest";
import { lines, play, type InformerSetup } from "./fixtures/scenario.js";

/** Plays a script and compares what happened with what it says. */
async function scenario(script: string, setting?: InformerSetup): Promise<void> {
  expect(await play(script, setting)).toBe(lines(script));
}

describe("list and watch", () => {
  test("lists the objects of the server, then watches", () =>
    scenario(`
      $ update a b
      $ open
      list newest
      (CREATED a@1)
      (CREATED b@2)
      watch 2
      $ update a
      UPDATED a@3 was @1
      $ status a
      STATUS_UPDATED a@4 was @3
      $ delete a
      DELETED a@5 was @4
      $ update a
      CREATED a@6
      $ view
      view a@6 b@2
      $ state
      watching, synced, 1 lists, 1 watches, 0 errors
    `));

  test("caches versions that differ only in bookkeeping, without reporting them", () =>
    scenario(`
      $ update a
      $ open
      list newest
      (CREATED a@1)
      watch 1
      $ touch a
      $ view
      view a@2
      $ update a
      UPDATED a@3 was @2
    `));

  test("with metadata only, every new version is a change", () =>
    scenario(
      `
      $ open
      list newest
      watch 0
      $ update a
      CREATED a@1
      $ touch a
      STATUS_UPDATED a@2 was @1
    `,
      { scope: { metadataOnly: true } },
    ));

  test("reads all pages", async () => {
    const transcript = await play(`
      $ many 5600
      $ open
      $ state
    `);
    expect(transcript.match(/CREATED/g)).toHaveLength(5600);
    expect(transcript.match(/list from/g)).toHaveLength(11);
    expect(transcript).toContain("watching, synced, 1 lists, 1 watches");
  });

  test("starts over without pages when the continue token expires", async () => {
    const transcript = await play(`
      $ many 600
      $ fail page 410
      $ open
      $ delete w0001
      $ state
    `);
    expect(transcript.match(/CREATED/g)).toHaveLength(600);
    expect(transcript.match(/^list .*$/gm)).toEqual(["list newest", "list from w0500", "list newest"]);
    expect(transcript).toContain("synced, 1 lists, 1 watches, 0 errors");
  });
});

describe("streaming lists", () => {
  test("take one watch in all where the server supports them", () =>
    scenario(
      `
      $ update b a
      $ open
      watch all
      (CREATED b@1)
      (CREATED a@2)
      $ update a
      UPDATED a@3 was @2
      $ wait 60s
      $ disconnect
      error watching: connection reset
      $ wait 1s
      watch 3
    `,
      { watchList: "served" },
    ));

  test("are requested once from a server that rejects them", () =>
    scenario(
      `
      $ update a
      $ open
      watch all
      list newest
      (CREATED a@1)
      watch 1
      $ compact
      $ update b
      CREATED b@2
      $ compact
      $ fail watch 410
      $ disconnect
      error watching: connection reset
      $ wait 1s
      watch 2
      error watching: too old
      $ wait 2s
      list newest
      watch 2
    `,
      { watchList: "refused" },
    ));

  test("are requested once from a server that fails on them", () =>
    scenario(
      `
      $ update a
      $ fail watch 500
      $ open
      watch all
      list newest
      (CREATED a@1)
      watch 1
      $ compact
      $ update b
      CREATED b@2
    `,
      { watchList: "served" },
    ));

  test("fall back to pages when the server ignores them", () =>
    scenario(
      `
      $ update a
      $ open
      watch all
      (CREATED a@1)
      $ wait 14s
      $ wait 1s
      list newest
      watch 1
      $ state
      watching, synced, 2 lists, 2 watches, 0 errors
    `,
      { watchList: "ignored" },
    ));

  test("fall back to pages when the server ignores them and sends other events", () =>
    scenario(
      `
      $ update a
      $ open
      watch all
      (CREATED a@1)
      $ wait 10s
      $ status a
      (STATUS_UPDATED a@2 was @1)
      $ wait 10s
      $ delete a
      (DELETED a@3 was @2)
      $ update b
      (CREATED b@4)
      $ wait 5s
      list newest
      watch 4
    `,
      { watchList: "ignored" },
    ));

  test("fall back to pages when the server ignores them and sends other bookmarks", () =>
    scenario(
      `
      $ open
      watch all
      $ wait 10s
      $ bookmark
      $ wait 10s
      $ bookmark
      $ wait 5s
      list newest
      watch 0
    `,
      { watchList: "ignored" },
    ));

  test("have no time limit as long as events arrive, also with changes before the end", () =>
    scenario(
      `
      $ open
      watch all
      $ wait 14s
      $ update a
      (CREATED a@1)
      $ wait 14s
      $ update b
      (CREATED b@2)
      $ wait 14s
      $ update a
      (UPDATED a@3 was @1)
      $ wait 14s
      $ bookmark end
      $ state
      watching, synced, 1 lists, 1 watches, 0 errors
      $ wait 60s
      $ update b
      UPDATED b@4 was @2
    `,
      { watchList: "ignored" },
    ));

  test("are not requested again when the server ends the stream early", () =>
    scenario(
      `
      $ update a
      $ open
      watch all
      (CREATED a@1)
      $ end
      list newest
      watch 1
      $ state
      watching, synced, 2 lists, 2 watches, 0 errors
    `,
      { watchList: "ignored" },
    ));

  test("keep the changes of a stream that broke before its end", () =>
    scenario(
      `
      $ update a b
      $ open
      watch all
      (CREATED a@1)
      (CREATED b@2)
      $ disconnect
      error listing: connection reset
      $ delete a
      $ wait 1s
      watch all
      $ wait 15s
      list newest
      (DELETED a@1 was @1)
      watch 3
    `,
      { watchList: "ignored" },
    ));
});

describe("a watch that ends", () => {
  test("is resumed at once from the last version or bookmark when the server ended it", () =>
    scenario(`
      $ update a
      $ open
      list newest
      (CREATED a@1)
      watch 1
      $ wait 300s
      $ update b
      CREATED b@2
      $ end
      watch 2
      $ touch c
      CREATED c@3
      $ bookmark
      $ wait 2s
      $ end
      watch 3
    `));

  test("at once without an event counts as a failure", () =>
    scenario(`
      $ open
      list newest
      watch 0
      $ end
      error watching: the server ended the watch at once, without an event
      $ wait 799ms
      $ wait 1ms
      watch 0
    `));

  test("by a broken connection is resumed with growing delays, without a list", () =>
    scenario(`
      $ update a
      $ open
      list newest
      (CREATED a@1)
      watch 1
      $ down
      error watching: connection reset
      $ update b
      $ wait 800ms
      watch 1
      error watching: connection refused
      $ wait 1600ms
      watch 1
      error watching: connection refused
      $ down over
      $ wait 3199ms
      $ wait 1ms
      watch 1
      CREATED b@2
    `));

  test("after two minutes without failure is resumed with the shortest delay", () =>
    scenario(`
      $ open
      list newest
      watch 0
      $ disconnect
      error watching: connection reset
      $ wait 800ms
      watch 0
      $ disconnect
      error watching: connection reset
      $ wait 1600ms
      watch 0
      $ wait 120s
      $ disconnect
      error watching: connection reset
      $ wait 800ms
      watch 0
    `));

  test.each(["500", "403"])("by a %s: the view stays, and the watch is tried again", (code) =>
    scenario(`
      $ update a
      $ open
      list newest
      (CREATED a@1)
      watch 1
      $ fail watch ${code}
      $ wait 5s
      $ end
      watch 1
      error watching: ${code === "500" ? "oops" : "no"}
      $ view
      view a@1
      $ wait 800ms
      watch 1
    `),
  );

  test("with a 429 is resumed after the server's Retry-After", () =>
    scenario(`
      $ open
      list newest
      watch 0
      $ fail watch 429
      $ wait 5s
      $ end
      watch 0
      error watching: slow down
      $ wait 19s
      $ wait 1s
      watch 0
    `));

  test("too late is aborted by the client", () =>
    scenario(`
      $ open
      list newest
      watch 0
      $ deaf
      $ wait 5s
      $ end
      watch 0
      $ deaf over
      $ wait 329s
      $ wait 1s
      error watching: the server neither continued nor ended the watch within 5m30s
      $ wait 800ms
      watch 0
      $ update a
      CREATED a@1
    `));
});

describe("an expired version", () => {
  test("causes a list, and the differences are reported", () =>
    scenario(`
      $ update same changed gone reborn
      $ open
      list newest
      (CREATED changed@2)
      (CREATED gone@3)
      (CREATED reborn@4)
      (CREATED same@1)
      watch 4
      $ down
      error watching: connection reset
      $ update changed new
      $ delete gone reborn
      $ update reborn
      $ compact
      $ down over
      $ wait 1s
      watch 4
      error watching: too old resource version: 4
      $ wait 2s
      list newest
      UPDATED changed@5 was @2
      CREATED new@6
      DELETED reborn@4 was @4
      CREATED reborn@9
      DELETED gone@3 was @3
      watch 9
      $ view
      view changed@5 new@6 reborn@9 same@1
    `));

  test("causes a list at once and without an error if there were no failures", () =>
    scenario(`
      $ update a
      $ open
      list newest
      (CREATED a@1)
      watch 1
      $ wait 300s
      $ fail watch 410
      $ end
      watch 1
      list newest
      watch 1
    `));

  test("includes versions that the server rejects as malformed", () =>
    scenario(`
      $ update a
      $ open
      list newest
      (CREATED a@1)
      watch 1
      $ fail watch 400
      $ wait 5s
      $ end
      watch 1
      error watching: what?
      $ wait 800ms
      list newest
      watch 1
    `));

  test("includes versions from before the server lost its data", () =>
    scenario(`
      $ update a b
      $ open
      list newest
      (CREATED a@1)
      (CREATED b@2)
      watch 2
      $ wait 121s
      $ wipe
      error watching: connection reset
      $ update b
      $ wait 1s
      watch 2
      error watching: Timeout: Too large resource version: 2, current: 1
      $ wait 2s
      list newest
      DELETED b@2 was @2
      CREATED b@1
      DELETED a@1 was @1
      watch 1
    `));
});

describe("a kind that is not served", () => {
  test("is waited for", () =>
    scenario(`
      $ missing
      $ open
      list newest
      error listing:  "" not found
      $ wait 1s
      list newest
      error listing:  "" not found
      $ missing over
      $ update a
      $ wait 2s
      list newest
      (CREATED a@1)
      watch 1
    `));

  test("any more keeps its objects for half a minute, in case it returns", () =>
    scenario(`
      $ update a
      $ open
      list newest
      (CREATED a@1)
      watch 1
      $ wait 121s
      $ missing
      watch 1
      error watching:  "" not found
      $ wait 20s
      list newest
      error listing:  "" not found
      list newest
      error listing:  "" not found
      list newest
      error listing:  "" not found
      list newest
      error listing:  "" not found
      $ view
      view a@1
      $ missing over
      $ wait 10s
      list newest
      watch 1
      $ view
      view a@1
    `));

  test("for longer has its objects reported as DELETED", () =>
    scenario(`
      $ update a
      $ open
      list newest
      (CREATED a@1)
      watch 1
      $ missing
      error watching: the server ended the watch at once, without an event
      $ wait 24s
      watch 1
      error watching:  "" not found
      list newest
      error listing:  "" not found
      list newest
      error listing:  "" not found
      list newest
      error listing:  "" not found
      $ view
      view a@1
      $ wait 50s
      list newest
      error listing:  "" not found
      list newest
      error listing:  "" not found
      DELETED a@1 was @1
      $ missing over
      $ update a
      $ wait 30s
      list newest
      CREATED a@2
      watch 2
    `));
});

describe("invalid input", () => {
  test("is reported, and the following events are processed", () =>
    scenario(`
      $ open
      list newest
      watch 0
      $ garbage
      error reading MODIFIED: an object without a name: {"metadata":{"resourceVersion":"1"}}
      error reading ADDED: an object without metadata: undefined
      $ update a
      CREATED a@2
    `));

  test("repeated events change nothing", () =>
    scenario(`
      $ open
      list newest
      watch 0
      $ update a a b
      CREATED a@1
      UPDATED a@2 was @1
      CREATED b@3
      $ repeat 3
      $ delete b
      DELETED b@4 was @3
      $ repeat 1
      $ view
      view a@2
    `));
});

describe("own writes", () => {
  const begin = `
      $ update a
      $ open
      list newest
      (CREATED a@1)
      watch 1
      $ down
      error watching: connection reset`;

  test("are visible at once, and reported when their event arrives", () =>
    scenario(`${begin}
      $ update a b
      $ wrote a
      $ wrote b
      $ view
      view a@2 b@3
      $ down over
      $ wait 1s
      watch 1
      UPDATED a@2 was @1
      CREATED b@3
      $ view
      view a@2 b@3
    `));

  test("a deleted object is hidden, and a new one of the same name visible", () =>
    scenario(`${begin}
      $ delete a
      $ removed a
      $ view
      view nothing
      $ update a
      $ wrote a
      $ view
      view a@3
      $ down over
      $ wait 1s
      watch 1
      DELETED a@2 was @1
      CREATED a@3
    `));

  test("are confirmed by a list", () =>
    scenario(`${begin}
      $ update b
      $ wrote b
      $ delete a b
      $ removed a
      $ view
      view b@2
      $ compact
      $ down over
      $ wait 1s
      watch 1
      error watching: too old resource version: 1
      $ wait 2s
      list newest
      DELETED a@1 was @1
      watch 4
      $ view
      view nothing
    `));

  test("expire when no event confirms them", () =>
    scenario(`${begin}
      $ update b
      $ wrote b
      $ removed a
      $ wait 119s
      watch 1
      error watching: connection refused
      watch 1
      error watching: connection refused
      watch 1
      error watching: connection refused
      watch 1
      error watching: connection refused
      watch 1
      error watching: connection refused
      watch 1
      error watching: connection refused
      watch 1
      error watching: connection refused
      watch 1
      error watching: connection refused
      $ view
      view b@2
      $ wait 1s
      $ view
      view a@1
    `));

  test("older than the cached version are ignored", () =>
    scenario(`
      $ update a
      $ open
      list newest
      (CREATED a@1)
      watch 1
      $ bookmark
      $ wrote a
      $ view
      view a@1
    `));

  test("are visible or hidden according to the selector", () =>
    scenario(
      `
      $ label a color=red
      $ open
      list newest
      (CREATED a@1)
      watch 1
      $ down
      error watching: connection reset
      $ label a color=blue
      $ label b color=red
      $ label c color=blue
      $ wrote a
      $ wrote b
      $ wrote c
      $ view
      view b@3
    `,
      { scope: { labelSelector: "color=red" } },
    ));
});

describe("the last release", () => {
  test("stops the informer at once", () =>
    scenario(`
      $ open
      list newest
      watch 0
      $ release
      $ state
      no informer
      $ update a
      $ wait 300s
      $ open
      list newest
      (CREATED a@1)
      watch 1
    `));
});
