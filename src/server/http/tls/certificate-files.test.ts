import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ensureCertificates } from "./certificates.js";
import type { KeyPair } from "./certificate.js";
import { followKeyPair, readKeyPair, type KeyPairFiles } from "./certificate-files.js";

let folder: string;
let files: KeyPairFiles;
let one: KeyPair;
let two: KeyPair;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "fettle-pair-"));
  files = { certFile: join(folder, "tls.crt"), keyFile: join(folder, "tls.key") };
  one = await ensureCertificates(join(folder, "one"));
  two = await ensureCertificates(join(folder, "two"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("reads a certificate and its key", () => {
  writeFileSync(files.certFile, one.cert);
  writeFileSync(files.keyFile, one.key);
  expect(readKeyPair(files)).toEqual({ cert: one.cert, key: one.key });
});

test("names the files that cannot be used", () => {
  expect(() => readKeyPair({ ...files, certFile: join(folder, "none") })).toThrow(
    /none cannot be read: ENOENT/,
  );
  writeFileSync(files.keyFile, two.key);
  expect(() => readKeyPair(files)).toThrow(
    `${files.certFile}, ${files.keyFile}: the private key does not belong to the certificate`,
  );
});

test("passes on a renewed certificate once both files belong together", async () => {
  writeFileSync(files.certFile, one.cert);
  writeFileSync(files.keyFile, one.key);
  let failed: (error: unknown) => void = () => {};
  let changed: (pair: KeyPair) => void = () => {};
  const stop = followKeyPair(files, {
    interval: 5,
    onChange: (pair) => changed(pair),
    onError: (error) => failed(error),
  });
  try {
    const error = await new Promise((resolve) => {
      failed = resolve;
      writeFileSync(files.certFile, two.cert);
    });
    expect(String(error)).toContain("the private key does not belong to the certificate");
    const pair = await new Promise((resolve) => {
      changed = resolve;
      writeFileSync(files.keyFile, two.key);
    });
    expect(pair).toEqual({ cert: two.cert, key: two.key });
  } finally {
    stop();
  }
});
