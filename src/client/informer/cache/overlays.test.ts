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
const receive = (version: string, uid?: string): void =>
  overlays.received("a", object(version, uid), version, uid ?? "u");
const receiveDeleted = (version: string, uid = "u"): void => overlays.received("a", undefined, version, uid);
const write = (version: string, uid = "u"): void => overlays.wrote("a", object(version, uid), version, uid);
const visible = (): string | undefined => cache.get("a")?.metadata.resourceVersion;
const base = (): string | undefined => overlays.base("a")?.metadata.resourceVersion;

describe("a written object", () => {
  test("hides older events, until its own event or a later one arrives", () => {
    receive("1");
    write("10");
    receive("9");
    expect([visible(), base()]).toEqual(["10", "9"]);
    receive("11");
    expect([visible(), base()]).toEqual(["11", "11"]);
    expect(overlays.bases()).toHaveLength(1);
  });

  test("is dropped when the watch has passed its version without an event", () => {
    receive("1");
    write("10");
    overlays.reached("10");
    expect(visible()).toBe("10");
    overlays.reached("11");
    expect(visible()).toBe("1");
  });

  test("is not replaced by the late response to an earlier write", () => {
    write("11");
    write("10");
    expect(visible()).toBe("11");
  });

  test("outlasts the DELETED of an earlier object of the same name", () => {
    receive("1", "old");
    write("10");
    receiveDeleted("5", "old");
    expect([visible(), base()]).toEqual(["10", undefined]);
  });

  test("is replaced by any event if versions cannot be compared", () => {
    receive("x");
    write("y");
    expect(visible()).toBe("y");
    overlays.reached("z");
    expect(visible()).toBe("y");
    receive("z");
    expect(visible()).toBe("z");
  });

  test("is dropped by a list that started after it if versions cannot be compared", () => {
    const before = overlays.mark;
    write("y");
    overlays.listed("z", before);
    expect(visible()).toBe("y");
    overlays.listed("z", overlays.mark);
    expect(visible()).toBeUndefined();
  });
});

describe("a removed object", () => {
  test("stays hidden until its DELETED arrives, whatever other events say", () => {
    receive("1");
    overlays.removed("a", "u");
    receive("2");
    expect([visible(), base()]).toEqual([undefined, "2"]);
    receiveDeleted("3");
    receive("4");
    expect(visible()).toBe("4");
  });

  test("does not hide another object of the same name", () => {
    receive("1");
    overlays.removed("a", undefined);
    receive("5", "v");
    expect(visible()).toBe("5");
    overlays.removed("a", "u");
    expect(visible()).toBe("5");
    overlays.removed("a", "v");
    write("7", "w");
    expect(visible()).toBe("7");
  });

  test("stays hidden when the response to an earlier write arrives late", () => {
    receive("1");
    overlays.removed("a", "u");
    write("2");
    expect(visible()).toBeUndefined();
  });

  test("is shown again by a list that started after the removal, not by an earlier one", () => {
    receive("1");
    const before = overlays.mark;
    overlays.removed("a", "u");
    overlays.listed("9", before);
    overlays.listed("9", undefined);
    expect(visible()).toBeUndefined();
    overlays.listed("9", overlays.mark);
    expect(visible()).toBe("1");
  });
});

test("overlays expire, and leave no timer", async () => {
  receive("1");
  write("5");
  await clock.advance(60_000);
  write("6");
  await clock.advance(60_000);
  expect(visible()).toBe("6");
  await clock.advance(60_000);
  expect(visible()).toBe("1");
  overlays.removed("a", "u");
  await clock.advance(120_000);
  expect(visible()).toBe("1");
  expect(clock.timers).toBe(0);
});

test("versions are compared as numbers of any size", () => {
  expect(compareResourceVersions("9", "10")).toBeLessThan(0);
  expect(compareResourceVersions("18446744073709551615", "18446744073709551614")).toBeGreaterThan(0);
  expect(compareResourceVersions("7", "7")).toBe(0);
  for (const other of ["", "x7", "007", "7.0"]) expect(compareResourceVersions("7", other)).toBeUndefined();
});
