import { beforeEach, describe, expect, test } from "vitest";
import { type KubeObject, VirtualClock } from "../../../model/core.js";
import { SourceCache } from "../../source/source-cache.js";
import { Overlays } from "./overlays.js";
import { compareResourceVersions } from "./resource-version.js";

let clock: VirtualClock;
let cache: SourceCache<KubeObject>;
let overlays: Overlays<KubeObject>;

beforeEach(() => {
  clock = new VirtualClock();
  cache = new SourceCache(() => {});
  overlays = new Overlays(cache, clock);
});

function object(resourceVersion: string, uid = "u"): KubeObject {
  return { apiVersion: "v1", kind: "Thing", metadata: { name: "a", uid, resourceVersion } };
}
const tell = (version: string, uid?: string): void =>
  overlays.told("a", object(version, uid), version, uid ?? "u");
const tellGone = (version: string, uid = "u"): void => overlays.told("a", undefined, version, uid);
const write = (version: string, uid = "u"): void => overlays.wrote("a", object(version, uid), version, uid);
const shown = (): string | undefined => cache.get("a")?.metadata.resourceVersion;
const base = (): string | undefined => overlays.base("a")?.metadata.resourceVersion;

describe("what was written", () => {
  test("stays over older events, and ends with its own or a later one", () => {
    tell("1");
    write("10");
    tell("9");
    expect([shown(), base()]).toEqual(["10", "9"]);
    tell("11");
    expect([shown(), base()]).toEqual(["11", "11"]);
    expect(overlays.bases()).toHaveLength(1);
  });

  test("ends when the watch is past it: it was never to be told", () => {
    tell("1");
    write("10");
    overlays.reached("10");
    expect(shown()).toBe("10");
    overlays.reached("11");
    expect(shown()).toBe("1");
  });

  test("is not replaced by the late answer to an earlier write", () => {
    write("11");
    write("10");
    expect(shown()).toBe("11");
  });

  test("survives the end of the one before it", () => {
    tell("1", "old");
    write("10");
    tellGone("5", "old");
    expect([shown(), base()]).toEqual(["10", undefined]);
  });

  test("ends with any event where versions cannot be compared", () => {
    tell("x");
    write("y");
    expect(shown()).toBe("y");
    overlays.reached("z");
    expect(shown()).toBe("y");
    tell("z");
    expect(shown()).toBe("z");
  });

  test("ends with a list that began after it where versions cannot be compared", () => {
    const before = overlays.mark;
    write("y");
    overlays.listed("z", before);
    expect(shown()).toBe("y");
    overlays.listed("z", overlays.mark);
    expect(shown()).toBeUndefined();
  });
});

describe("what was removed", () => {
  test("stays hidden whatever is told of it, until its end", () => {
    tell("1");
    overlays.removed("a", "u");
    tell("2");
    expect([shown(), base()]).toEqual([undefined, "2"]);
    tellGone("3");
    tell("4");
    expect(shown()).toBe("4");
  });

  test("does not hide another of its name, told or written", () => {
    tell("1");
    overlays.removed("a", undefined);
    tell("5", "v");
    expect(shown()).toBe("5");
    overlays.removed("a", "u");
    expect(shown()).toBe("5");
    overlays.removed("a", "v");
    write("7", "w");
    expect(shown()).toBe("7");
  });

  test("is not shown again by the late answer to a write before", () => {
    tell("1");
    overlays.removed("a", "u");
    write("2");
    expect(shown()).toBeUndefined();
  });

  test("ends with a list that began after it, and not with one that began before", () => {
    tell("1");
    const before = overlays.mark;
    overlays.removed("a", "u");
    overlays.listed("9", before);
    overlays.listed("9", undefined);
    expect(shown()).toBeUndefined();
    overlays.listed("9", overlays.mark);
    expect(shown()).toBe("1");
  });
});

test("nothing lasts for ever, and what is over leaves no timer", async () => {
  tell("1");
  write("5");
  await clock.advance(60_000);
  write("6");
  await clock.advance(60_000);
  expect(shown()).toBe("6");
  await clock.advance(60_000);
  expect(shown()).toBe("1");
  overlays.removed("a", "u");
  await clock.advance(120_000);
  expect(shown()).toBe("1");
  expect(clock.timers).toBe(0);
});

test("versions are compared as numbers of any size", () => {
  expect(compareResourceVersions("9", "10")).toBeLessThan(0);
  expect(compareResourceVersions("18446744073709551615", "18446744073709551614")).toBeGreaterThan(0);
  expect(compareResourceVersions("7", "7")).toBe(0);
  for (const other of ["", "x7", "007", "7.0"]) expect(compareResourceVersions("7", other)).toBeUndefined();
});
