import { generateKeyPairSync } from "node:crypto";
import { rootCertificates } from "node:tls";
import { expect, test } from "vitest";
import { keyPairFault } from "./key-pair.js";

const [certificate = ""] = rootCertificates;
const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
const key = privateKey.export({ format: "pem", type: "pkcs8" }).toString();

test.each([
  ["no PEM in the certificate", "text", key, "tls: failed to find any PEM data in certificate input"],
  ["no PEM in the key", certificate, "text", "tls: failed to find any PEM data in key input"],
  [
    "a key as the certificate",
    key,
    key,
    "tls: failed to find a PEM block of a certificate in certificate input",
  ],
  [
    "a certificate as the key",
    certificate,
    certificate,
    "tls: failed to find a PEM block of a private key in key input",
  ],
  ["a damaged certificate", damaged(certificate), key, "tls: failed to parse certificate"],
  ["a damaged key", certificate, damaged(key), "tls: failed to parse private key"],
  ["a key of another certificate", certificate, key, "tls: private key does not match public key"],
])("reports %s", (_, cert, key, fault) => {
  expect(keyPairFault(Buffer.from(cert), Buffer.from(key))).toBe(fault);
});

/** PEM whose content is not what its label says. */
function damaged(pem: string): string {
  const [first = "", ...rest] = pem.trim().split("\n");
  return [first, "AAAA", rest.at(-1)].join("\n");
}
