import { CertificateExpiring } from "fettle/events";
import { testPlane, type TestPlane } from "fettle/testing";
import { defineOperator } from "fettle";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { CertificateObject } from "../kinds/proxy.js";
import { certificateExpiry, issuedCertificate, type CertificateInUse } from "./expiry.js";

const day = 86_400_000;
const start = Date.parse("2026-03-01T08:00:00Z");
let inUse: CertificateInUse[];
let plane: TestPlane;
let faults: number;
let failed: unknown[];

const expiry = () =>
  defineOperator({
    name: "proxy",
    setup: ({ state, events }) => ({
      schedules: [
        certificateExpiry({
          state,
          certificatesInUse: () => inUse,
          onError: (error) => failed.push(error),
          async emit(event) {
            if (faults-- > 0) throw new Error("the store is full");
            return events.emit(event);
          },
        }),
      ],
    }),
  });

async function open(): Promise<void> {
  plane = await testPlane({
    operators: [expiry()],
    clock: new Date(start).toISOString(),
    events: { ttl: "400d" },
  });
}

function certificate(days: number, more: Partial<CertificateInUse> = {}): CertificateInUse {
  return { namespace: "default", secret: "web", fingerprint: "AB:CD", expires: start + days * day, ...more };
}

beforeEach(() => {
  [inUse, faults, failed] = [[], 0, []];
});
afterEach(() => plane[Symbol.asyncDispose]());

/** Days and certificates of the events. */
async function emitted(): Promise<readonly string[]> {
  await plane.settled();
  const events = await plane.eventsSoFar(CertificateExpiring.type);
  return events.map(({ data }) => {
    const { days, certificate: name } = data as { days: number; certificate: string };
    return `${name} ${days}`;
  });
}

test("a certificate is announced 30, 7 and 1 days before it expires, and then", async () => {
  inUse = [certificate(40)];
  await open();
  expect(await emitted()).toEqual([]);
  await plane.advance("50d");
  expect(await emitted()).toEqual(["web 30", "web 7", "web 1", "web 0"]);
  const [first] = await plane.eventsSoFar(CertificateExpiring.type);
  expect(first?.subject).toBe("default/web");
  expect(first?.data).toEqual({
    certificate: "web",
    namespace: "default",
    secret: "web",
    expires: new Date(start + 40 * day).toISOString(),
    days: 30,
  });
  expect(first !== undefined && CertificateExpiring.is(first)).toBe(true);
});

test("one that is first seen late is announced once, as is one that has expired", async () => {
  inUse = [certificate(5), certificate(-3, { secret: "old", fingerprint: "00" })];
  await open();
  await plane.advance("1d");
  expect(await emitted()).toEqual(["web 5", "old 0"]);
});

test("a renewed certificate is another one, and the same one in two Secrets is announced once", async () => {
  inUse = [certificate(5), certificate(5, { secret: "copy", fingerprint: "abcd", certificate: "site" })];
  await open();
  expect(await emitted()).toEqual(["site 5"]);
  inUse = [certificate(6, { fingerprint: "EF" })];
  await plane.advance("1h");
  expect(await emitted()).toEqual(["site 5", "web 5"]);
});

test("an event that could not be emitted is emitted by a later pass", async () => {
  inUse = [certificate(5), certificate(5, { secret: "api", fingerprint: "EF" })];
  faults = 1;
  await open();
  expect(await emitted()).toEqual(["api 5"]);
  expect(failed).toHaveLength(1);
  await plane.advance("1h");
  expect(await emitted()).toEqual(["api 5", "web 4"]);
});

test("a restart does not repeat events", async () => {
  inUse = [certificate(5)];
  await open();
  expect(await emitted()).toHaveLength(1);
  const kept = await plane.state.get("operators/proxy/certificate-expiry/abcd");
  await plane[Symbol.asyncDispose]();
  const waiting = inUse;
  inUse = [];
  await open();
  await plane.state.set("operators/proxy/certificate-expiry/abcd", kept);
  inUse = waiting;
  await plane.advance("2h");
  expect(await emitted()).toEqual([]);
  await plane.advance("4d");
  expect(await emitted()).toEqual(["web 1"]);
});

test("Certificate objects are in use once they have issued one", async () => {
  await open();
  const object = { metadata: { name: "web", namespace: "default" }, spec: { secretName: "web-tls" } };
  expect(issuedCertificate(object as CertificateObject)).toBeUndefined();
  const status = { fingerprint: "abcd", notAfter: new Date(start).toISOString() };
  expect(issuedCertificate({ ...object, status } as CertificateObject)).toEqual({
    certificate: "web",
    namespace: "default",
    secret: "web-tls",
    fingerprint: "abcd",
    expires: start,
  });
});
