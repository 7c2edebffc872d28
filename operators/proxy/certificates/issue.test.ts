import { execFile } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CertificateFault, examineCertificate, examineSecret } from "./examine.js";
import { issueCertificate, type CertificateContent, type KeyPair } from "./issue.js";

const run = promisify(execFile);
let folder: string;
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), "certificates-"))));
afterAll(() => rm(folder, { recursive: true }));

const hour = 3_600_000;
const now = Math.floor(Date.now() / 1000) * 1000;
const leaf: CertificateContent = {
  commonName: "web.example",
  dnsNames: ["web.example", "*.web.example"],
  ipAddresses: ["127.0.0.1", "2001:db8::1"],
  isCA: false,
  notBefore: now - 60_000,
  notAfter: now + 24 * hour,
};
const authority: CertificateContent = {
  ...leaf,
  commonName: 'Example, "Root" CA + Söhne',
  dnsNames: [],
  ipAddresses: [],
  isCA: true,
};

const dataOf = ({ certificate, key }: KeyPair) => ({
  "tls.crt": Buffer.from(certificate).toString("base64"),
  "tls.key": Buffer.from(key).toString("base64"),
});

async function files(contents: Readonly<Record<string, string>>): Promise<string[]> {
  const paths = Object.keys(contents).map((name) => join(folder, name));
  await Promise.all(Object.values(contents).map((text, index) => writeFile(paths[index] ?? "", text)));
  return paths;
}

test("a certificate has the names, times and serial number that it should have", async () => {
  const issued = await issueCertificate(leaf, undefined);
  const { certificate } = examineSecret(dataOf(issued));
  expect(certificate).toMatchObject({
    commonName: "web.example",
    dnsNames: leaf.dnsNames,
    ipAddresses: leaf.ipAddresses,
    isCA: false,
    notBefore: leaf.notBefore,
    notAfter: leaf.notAfter,
    issuer: "CN=web.example",
    isSelfSigned: true,
    chain: [],
  });
  expect(certificate.serialNumber).toMatch(/^[0-7][0-9a-f]{31}$/);
  expect(certificate.fingerprint).toMatch(/^[0-9a-f]{64}$/);
  expect(issued.ca).toBe(issued.certificate);
});

describe("OpenSSL", () => {
  test("verifies a chain of three, and the purposes of the certificates", async () => {
    const root = await issueCertificate(authority, undefined);
    const middle = await issueCertificate({ ...authority, commonName: "Middle" }, root);
    const issued = await issueCertificate(leaf, middle);
    const [ca = "", chain = "", key = ""] = await files({
      "ca.pem": root.certificate,
      "chain.pem": issued.certificate,
      "key.pem": issued.key,
    });
    const verify = (...options: string[]) =>
      run("openssl", ["verify", "-x509_strict", "-CAfile", ca, "-untrusted", chain, ...options, chain]);
    expect((await verify("-purpose", "sslserver", "-verify_hostname", "a.web.example")).stdout).toMatch(/OK/);
    expect((await verify("-purpose", "sslclient", "-verify_ip", "2001:db8::1")).stdout).toMatch(/OK/);
    await expect(verify("-verify_hostname", "other.example")).rejects.toThrow(/hostname mismatch/i);
    expect((await run("openssl", ["pkey", "-in", key, "-check", "-noout"])).stdout).toMatch(/valid/);
    const { stdout } = await run("openssl", ["x509", "-in", chain, "-noout", "-text"]);
    for (const text of ["CA:FALSE", "Digital Signature", "TLS Web Server Authentication", "prime256v1"]) {
      expect(stdout).toContain(text);
    }
    expect(examineCertificate(issued.certificate).chain).toHaveLength(2);
  });

  test.each([
    ["RSA", () => generateKeyPairSync("rsa", { modulusLength: 2048 })],
    ["P-384", () => generateKeyPairSync("ec", { namedCurve: "secp384r1" })],
    ["Ed25519", () => generateKeyPairSync("ed25519")],
  ])("makes a CA with a key of type %s, which can sign", async (name, generate) => {
    const format = name === "RSA" ? ("pkcs1" as const) : ("pkcs8" as const);
    const key = generate().privateKey.export({ format: "pem", type: format }).toString();
    const [keyFile = "", ca = ""] = await files({ [`${name}.key`]: key, [`${name}.pem`]: "" });
    await run("openssl", ["req", "-x509", "-new", "-key", keyFile, "-subj", "/CN=Their CA", "-out", ca]);
    const { stdout: pem } = await run("openssl", ["x509", "-in", ca]);
    const issued = await issueCertificate(leaf, { certificate: pem, key });
    const [chain = ""] = await files({ [`${name}-chain.pem`]: issued.certificate });
    expect((await run("openssl", ["verify", "-CAfile", ca, chain])).stdout).toMatch(/OK/);
    expect(examineCertificate(issued.certificate).isSignedBy(examineCertificate(pem))).toBe(true);
  });
});

test("a certificate without a common name is identified by its names", async () => {
  const issued = await issueCertificate({ ...leaf, commonName: undefined }, undefined);
  const [file = ""] = await files({ "nameless.pem": issued.certificate });
  const { stdout } = await run("openssl", ["x509", "-in", file, "-noout", "-ext", "subjectAltName"]);
  expect(stdout).toContain("critical");
  expect(examineCertificate(issued.certificate).commonName).toBeUndefined();
});

test("a CA with a key that cannot sign is refused", async () => {
  const ca = await issueCertificate(authority, undefined);
  const key = generateKeyPairSync("ec", { namedCurve: "secp256k1" }).privateKey;
  const pem = key.export({ format: "pem", type: "pkcs8" }).toString();
  await expect(issueCertificate(leaf, { ...ca, key: pem })).rejects.toThrow(
    "a key of type secp256k1 cannot sign certificates",
  );
});

test("faults of a Secret are named, without its key", async () => {
  const [one, other] = await Promise.all([
    issueCertificate(leaf, undefined),
    issueCertificate(leaf, undefined),
  ]);
  const good = dataOf(one);
  const faultOf = (data: Readonly<Record<string, string>> | undefined): string => {
    try {
      examineSecret(data);
    } catch (error) {
      expect(error).toBeInstanceOf(CertificateFault);
      return (error as Error).message;
    }
    return "";
  };
  const base64 = (text: string): string => Buffer.from(text).toString("base64");
  expect(faultOf(good)).toBe("");
  expect(faultOf(undefined)).toBe("tls.crt is missing");
  expect(faultOf({ "tls.crt": good["tls.crt"] })).toBe("tls.key is missing");
  expect(faultOf({ ...good, "tls.crt": base64("hello") })).toBe("tls.crt has no certificate in PEM");
  expect(faultOf({ ...good, "tls.crt": base64(one.certificate.replace(/^MII.{9}/m, "MIIAAAAAAAAA")) })).toBe(
    "certificate 1 of tls.crt is malformed",
  );
  expect(faultOf({ ...good, "tls.key": base64("hello") })).toBe(
    "tls.key is not a private key in PEM without a passphrase",
  );
  expect(faultOf({ ...good, "tls.key": dataOf(other)["tls.key"] })).toBe(
    "tls.key does not belong to the certificate in tls.crt",
  );
});
