import { TestClock } from "fettle/testing";
import { expect, test } from "vitest";
import { ClassDrivers } from "./class-drivers.js";
import { memoryProxy } from "./driver/memory/memory-proxy.js";
import { proxyClass } from "./translate/fixtures.js";

function countedDrivers(): { readonly drivers: ClassDrivers; readonly calls: string[] } {
  const calls: string[] = [];
  const drivers = new ClassDrivers({
    open: async ({ spec }) => {
      calls.push(`open ${spec.addresses.join()}`);
      return memoryProxy({ clock: new TestClock() });
    },
    onChange: () => {},
    onClose: (name) => calls.push(`close ${name}`),
  });
  return { drivers, calls };
}

test("a driver is opened once, also for callers at the same time, and again for other addresses", async () => {
  const { drivers, calls } = countedDrivers();
  await drivers.get(proxyClass({ addresses: ["127.0.0.1"] }));
  const changed = proxyClass({ addresses: ["127.0.0.2"] });
  const [one, other] = await Promise.all([drivers.get(changed), drivers.get(changed)]);
  expect(one).toBe(other);
  expect(calls).toEqual(["open 127.0.0.1", "close nginx", "open 127.0.0.2"]);
  await drivers.close("nginx");
  expect(calls.at(-1)).toBe("close nginx");
});

test("a driver that could not be opened is opened by the next call", async () => {
  let isBroken = true;
  const drivers = new ClassDrivers({
    open: async () => {
      if (isBroken) throw new Error("broken");
      return memoryProxy({ clock: new TestClock() });
    },
    onChange: () => {},
  });
  await expect(drivers.get(proxyClass())).rejects.toThrow("broken");
  isBroken = false;
  await drivers.get(proxyClass());
});
