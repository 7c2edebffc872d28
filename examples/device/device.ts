import { isDeepStrictEqual } from "node:util";
import { controller, resource, type Client, type Controller, type ObjectOf } from "fettle";
import { z } from "zod";
import type { Gateway } from "./gateway.js";

export const Device = resource("example.io/v1", "Device", {
  spec: z.object({
    desired: z.enum(["running", "stopped"]).default("stopped"),
    config: z.record(z.string(), z.string()).optional(),
  }),
  status: z.object({ state: z.enum(["running", "stopped"]), lastSeen: z.iso.datetime() }),
  columns: [
    { name: "Desired", path: ".spec.desired" },
    { name: "State", path: ".status.state" },
    { name: "Last Seen", path: ".status.lastSeen" },
  ],
});

/** Connects, configures, starts and stops devices behind a gateway according to their spec. */
export function devices(gateway: Gateway): Controller {
  return controller({
    for: Device,
    backoff: { base: "1s", max: "5m" },

    async reconcile(
      device,
      { client, step, report, condition, ready, recordEvent, requeue, fail, now, signal },
    ) {
      const { name } = device;
      const { desired, config } = device.spec;
      if (config === undefined) return fail("InvalidConfig", "a device needs a config: set spec.config");

      const found = await gateway.look(name, signal);
      const isConfigured = isDeepStrictEqual(found.config, config);
      const isRight = found.connected && isConfigured && found.state === desired;
      const check = (): Promise<boolean> =>
        step("check", { planned: true }, (signal) => isStillSo(device, client, signal));
      if (!isRight && !(await check())) return requeue("5s", "it has changed since it was seen");

      await step("connect", { timeout: "10s", unless: () => found.connected }, (signal) =>
        gateway.connect(name, signal),
      );
      await step("configure", { unless: () => isConfigured }, (signal) =>
        gateway.configure(name, config, signal),
      );
      if (found.state !== desired) {
        await step(desired === "running" ? "start" : "stop", (signal) =>
          desired === "running" ? gateway.start(name, signal) : gateway.stop(name, signal),
        );
        const happened = desired === "running" ? "started" : "stopped";
        recordEvent(`io.example.device.${happened}`, `${name} was ${happened}`);
      }

      report({ state: desired, lastSeen: new Date(now()).toISOString() });
      if (desired === "running") ready("DeviceRunning", "Device is running");
      else condition("Ready", false, "DeviceStopped", "Device is stopped");
      return requeue("5m", "periodic check");
    },

    async cleanup({ name }, { step }) {
      await step("stop", (signal) => gateway.stop(name, signal));
    },
  });
}

/**
 * Reads the device from the API, because the cached one can be stale: starting a device that was already deleted and cleaned
 * up would leave it running. A device that exists and has our finalizer is not removed before cleanup has run.
 */
async function isStillSo(
  { metadata }: ObjectOf<typeof Device>,
  client: Client,
  signal: AbortSignal,
): Promise<boolean> {
  const { name = "", namespace, uid, generation } = metadata;
  const now = (await client.find(Device, { name, namespace }, { signal }))?.metadata;
  return now?.uid === uid && now?.generation === generation && now?.deletionTimestamp === undefined;
}
