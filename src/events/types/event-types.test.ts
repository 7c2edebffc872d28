import { expect, test } from "vitest";
import { z } from "zod";
import type { CloudEvent } from "../../model/cloud-events/cloud-event.js";
import { eventType } from "./event-type.js";
import { EventTypes } from "./event-types.js";
import { CertificateExpiring, HealthCheckRequested, knownEventTypes, SystemError } from "./known-types.js";

const DeviceStarted = eventType(
  "io.example.device.started",
  z.object({ serial: z.string(), boot: z.number().int() }),
);

function received(type: string, data: unknown): CloudEvent {
  return { specversion: "1.0", id: "1", type, source: "/test", time: "2026-01-01T00:00:00Z", data };
}

test("a type makes events with data that the compiler has checked", () => {
  expect(DeviceStarted.event({ serial: "A-17", boot: 3 }, { subject: "A-17" })).toEqual({
    type: "io.example.device.started",
    subject: "A-17",
    data: { serial: "A-17", boot: 3 },
  });
  // @ts-expect-error boot is a number.
  DeviceStarted.event({ serial: "A-17", boot: "3" });
  // @ts-expect-error serial is missing.
  DeviceStarted.event({ boot: 3 });
  // @ts-expect-error certificates expire at a time.
  CertificateExpiring.event({ certificate: "web" });
});

test("a type recognises its events, with typed data", () => {
  const event = received("io.example.device.started", { serial: "A-17", boot: 3 });
  if (!DeviceStarted.is(event)) throw new Error("it should be recognised");
  expect(event.data?.boot.toFixed(1)).toBe("3.0");
  expect(DeviceStarted.is(received("io.example.device.started", { serial: 17 }))).toBe(false);
  expect(DeviceStarted.is(received("io.example.device.stopped", event.data))).toBe(false);
});

test("types have a name without wildcards, and one schema", () => {
  expect(() => eventType("io.example.**", z.unknown())).toThrow("is a pattern: an event has one type");
  expect(() => eventType("a b", z.unknown())).toThrow("is not a pattern for event types");
  const other = eventType("io.example.device.started", z.unknown());
  expect(() => new EventTypes([DeviceStarted, other])).toThrow(
    "there are two schemas for events of type io.example.device.started",
  );
});

test("violations name the field", () => {
  const types = new EventTypes([...knownEventTypes, DeviceStarted]);
  const violation = (type: string, data: unknown): string | undefined =>
    types.violation(received(type, data));
  expect(violation("io.example.device.started", { serial: 17, boot: 1 })).toBe(
    "data.serial: Invalid input: expected string, received number",
  );
  expect(violation("system.error", undefined)).toBe(
    "data: Invalid input: expected object, received undefined",
  );
  expect(violation("backend.health.changed", { backend: "b1", status: "sick" })).toContain("data.status");
  expect(violation("certificate.expiring", { certificate: "web", expires: "soon" })).toContain(
    "data.expires",
  );
  expect(violation("system.error", { component: "store", message: "full", extra: 1 })).toBeUndefined();
  expect(violation(HealthCheckRequested.type, undefined)).toBeUndefined();
  expect(violation("unknown.type", 5)).toBeUndefined();
  expect(SystemError.event({ component: "store", message: "full" }).type).toBe("system.error");
});
