import { expect, test } from "vitest";
import { Process, type ProcessObject } from "./kinds.js";
import { portsOf, releasePorts } from "./ports.js";

const processWith = (uid: string, ...names: readonly string[]): ProcessObject =>
  ({
    apiVersion: Process.apiVersion,
    kind: "Process",
    metadata: { uid, name: uid },
    spec: { ports: names.map((name) => ({ name, port: 0, host: "127.0.0.1" })) },
  }) as unknown as ProcessObject;

test("all ports of a process stay reserved until it is deleted", async () => {
  const reserved = new Map<number, string>();
  const sources = {
    driver: {
      async allocatePort(_host: string, taken: ReadonlySet<number>): Promise<number> {
        return [1, 2, 3, 4].find((port) => !taken.has(port)) ?? 0;
      },
    },
    reserved,
    taken: () => [],
    allocate: (_name: string, allocate: () => Promise<number>) => allocate(),
  };
  expect(await portsOf(processWith("a", "http", "admin"), [], sources)).toEqual({ http: 1, admin: 2 });
  expect(await portsOf(processWith("b", "http"), [], sources)).toEqual({ http: 3 });
  releasePorts(reserved, "a");
  expect(await portsOf(processWith("c", "http"), [], sources)).toEqual({ http: 1 });
});
