import { X509Certificate } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { VirtualClock } from "../../../model/core.js";
import { CertificateError, checkKeyPair, namesOf } from "./certificate.js";
import { ensureCertificates, type ServerCertificates } from "./certificates.js";

const day = 24 * 60 * 60 * 1000;
let folder: string;
let first: ServerCertificates;
const clock = new VirtualClock("2026-01-01T00:00:00Z");

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "fettle-tls-"));
  first = await ensureCertificates(folder, { clock, names: ["Fettle.example.com", "10.0.0.5", "fd00:0::1"] });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("signs a certificate for all names with its own CA", () => {
  const authority = new X509Certificate(first.ca);
  const server = new X509Certificate(first.cert);
  expect(authority.ca).toBe(true);
  expect(server.ca).toBe(false);
  expect(authority.verify(authority.publicKey)).toBe(true);
  expect(server.verify(authority.publicKey)).toBe(true);
  expect(server.checkIssued(authority)).toBe(true);
  expect(namesOf(first.cert).sort()).toEqual(
    ["localhost", "127.0.0.1", "::1", "fettle.example.com", "10.0.0.5", "fd00::1"].sort(),
  );
  expect(server.checkHost("fettle.example.com")).toBeDefined();
  expect(server.checkIP("10.0.0.5")).toBeDefined();
  expect(server.keyUsage).toEqual(["1.3.6.1.5.5.7.3.1"]);
  expect(() => checkKeyPair(first)).not.toThrow();
});

test("removes the stubs of Reflect after loading the library", () => {
  expect("getMetadata" in Reflect).toBe(false);
});

test("creates files that only their owner can read", () => {
  expect((statSync(join(folder, "tls")).mode & 0o777).toString(8)).toBe("700");
  for (const name of ["ca.key", "ca.crt", "server.key", "server.crt"]) {
    expect((statSync(join(folder, "tls", name)).mode & 0o777).toString(8), name).toBe("600");
  }
});

test("keeps a valid certificate", async () => {
  const names = ["10.0.0.5"];
  expect(await ensureCertificates(folder, { clock, names })).toEqual(first);
  await clock.advance(300 * day);
  expect(await ensureCertificates(folder, { clock, names })).toEqual(first);
});

test("creates a certificate for a new name, with the same CA", async () => {
  const next = await ensureCertificates(folder, { clock, names: ["other.example.com"] });
  expect(next.ca).toBe(first.ca);
  expect(next.cert).not.toBe(first.cert);
  expect(namesOf(next.cert)).toContain("other.example.com");
});

test("renews the certificate before it expires", async () => {
  const before = await ensureCertificates(folder, { clock });
  await clock.advance(336 * day);
  const after = await ensureCertificates(folder, { clock });
  expect(after.ca).toBe(first.ca);
  expect(after.cert).not.toBe(before.cert);
  expect(Date.parse(new X509Certificate(after.cert).validTo)).toBeGreaterThan(clock.now() + 300 * day);
});

test("replaces malformed files", async () => {
  writeFileSync(join(folder, "tls", "server.key"), "broken");
  const repaired = await ensureCertificates(folder, { clock });
  expect(repaired.ca).toBe(first.ca);
  expect(() => checkKeyPair(repaired)).not.toThrow();
  writeFileSync(join(folder, "tls", "ca.crt"), "broken");
  const other = await ensureCertificates(folder, { clock });
  expect(other.ca).not.toBe(first.ca);
  expect(new X509Certificate(other.cert).checkIssued(new X509Certificate(other.ca))).toBe(true);
  expect(readFileSync(join(folder, "tls", "ca.crt"), "utf8")).toBe(other.ca);
});

test("rejects a key that does not match the certificate", async () => {
  const other = await ensureCertificates(folder, { clock, names: ["third.example.com"] });
  expect(() => checkKeyPair({ cert: first.cert, key: other.key })).toThrow("does not belong");
  expect(() => checkKeyPair({ cert: first.cert, key: other.key })).toThrow(CertificateError);
  expect(() => checkKeyPair({ cert: first.cert, key: "no key" })).toThrow("the private key cannot be read");
  expect(() => checkKeyPair({ cert: "no cert", key: first.key })).toThrow("the certificate cannot be read");
});
