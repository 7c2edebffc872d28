import { VirtualClock } from "fettle/model";
import { expect, test } from "vitest";
import { describeProxy, filesOf, unknownDirective } from "../contract.js";
import { diskFull, memoryProxy } from "./memory-proxy.js";

/** Fault of a file that has {@link unknownDirective}. */
function unknownFault(_path: string, content: string): { message: string; line: number } | undefined {
  const index = content.split("\n").indexOf(unknownDirective);
  return index === -1 ? undefined : { message: 'unknown directive "unknown_to_nginx"', line: index + 1 };
}

describeProxy("the contract, in memory", async () => {
  const clock = new VirtualClock();
  const driver = memoryProxy({ clock });
  driver.refuse = unknownFault;
  let lastPort = 20_000;
  return {
    driver,
    reopen: async () => driver.restart(),
    startNginx: async () => void driver.startNginx(),
    killNginx: async () => driver.killNginx(),
    edit: async (path, content) => driver.edit(path, content),
    freePorts: async (count) => Array.from({ length: count }, () => ++lastPort),
    async occupy(port) {
      driver.portsInUse.set(port, "python3 (process 71)");
      return { [Symbol.asyncDispose]: async () => void driver.portsInUse.delete(port) };
    },
    async elapse(promise) {
      await clock.advance(10_000);
      return promise;
    },
    [Symbol.asyncDispose]: () => driver[Symbol.asyncDispose](),
  };
});

test("nginx runs as soon as a generation is active", async () => {
  const driver = memoryProxy({ clock: new VirtualClock() });
  const files = filesOf(driver, { ports: [8080] });
  await driver.activate(await driver.stage(files, "d1"));
  await driver.verify(1, [8080], { timeout: 0 });
  expect(driver.snapshot()).toEqual({ running: true, digest: "d1", files: Object.fromEntries(files) });
});

test("nginx can keep the old configuration", async () => {
  const driver = memoryProxy({ clock: new VirtualClock() });
  await driver.activate(await driver.stage(filesOf(driver, { ports: [8080] }), "d1"));
  driver.keepOldConfiguration = "limit_req_zone has another key";
  await driver.activate(await driver.stage(filesOf(driver, { ports: [8080], text: "new" }), "d2"));
  expect(await driver.reload()).toBe(true);
  const verified = driver.verify(2, [8080], { timeout: 1000 });
  await expect(verified).rejects.toThrow("nginx kept the old configuration: limit_req_zone has another key");
  expect(driver.snapshot().digest).toBe("d1");
  expect(driver.reloads).toBe(0);
  driver.keepOldConfiguration = undefined;
  await driver.reload();
  await driver.verify(2, [8080], { timeout: 1000 });
  expect(driver.reloads).toBe(1);
});

test("the next call can fail", async () => {
  const driver = memoryProxy({ clock: new VirtualClock() });
  driver.failNext(diskFull(), "stage");
  await driver.inspect();
  await expect(driver.stage(new Map(), "d1")).rejects.toMatchObject({ reason: "DiskFull" });
  expect(await driver.stage(new Map(), "d1")).toBe(1);
  driver.failNext(new Error("lightning"));
  await expect(driver.inspect()).rejects.toThrow("lightning");
});
