import { createHash, createPrivateKey, X509Certificate, type KeyObject } from "node:crypto";
import { createSecureContext } from "node:tls";
import type { ObjectOf } from "fettle";
import type { Secret } from "fettle/kubernetes";
import type { CertificateFiles } from "../configuration.js";

type SecretObject = ObjectOf<typeof Secret>;

/** Certificate that nginx can load. */
export interface LoadedCertificate {
  readonly files: CertificateFiles;
  readonly fingerprint: string;
  /** Milliseconds since 1970. */
  readonly begins: number;
  readonly expires: number;
}

type Parsed =
  | (Omit<LoadedCertificate, "files"> & { readonly certificate: string; readonly key: string })
  | { readonly problem: string };

/** Certificates by the hash of their PEM: parsing takes about a millisecond, and a translation runs after every change. */
const parsed = new Map<string, Parsed>();
const maxParsed = 10_000;

const block = /-----BEGIN ([A-Z0-9 ]+)-----[^-]*-----END \1-----/g;
const keyTypes: ReadonlySet<string | undefined> = new Set(["rsa", "rsa-pss", "ec", "ed25519", "ed448"]);
/** Shorter keys are refused by OpenSSL at the security level of Debian, and with them the whole configuration. */
const minRsaBits = 2048;
/** A handshake with a longer key takes a worker of nginx so long that others have to wait: with 16,384 bits about half a second. */
const maxRsaBits = 4096;
/** Public chains have two to four certificates. Each takes time to parse, and is sent with every handshake. */
const maxChain = 10;
/** Security level of OpenSSL that Debian's nginx has. */
const ciphers = "DEFAULT@SECLEVEL=2";

/** Reads certificate and key of a Secret. Expired ones are loaded as well: that is for the caller to report. */
export function loadCertificate(secret: SecretObject): LoadedCertificate | { readonly problem: string } {
  if (secret.type !== "kubernetes.io/tls") {
    return { problem: `has type ${secret.type ?? "Opaque"}, and kubernetes.io/tls is needed` };
  }
  const { "tls.crt": certificate = "", "tls.key": key = "" } = secret.data ?? {};
  if (certificate === "") return { problem: "has no tls.crt" };
  if (key === "") return { problem: "has no tls.key" };
  const result = parseOnce(certificate, key);
  if ("problem" in result) return result;
  const { metadata } = secret;
  // Namespaces have neither dots nor underscores, and names no underscores: the name of the files is unique.
  const name = `${metadata.namespace ?? ""}_${metadata.name ?? ""}`;
  const { fingerprint, begins, expires } = result;
  return {
    files: { name, certificate: result.certificate, key: result.key },
    fingerprint,
    begins,
    expires,
  };
}

function parseOnce(certificate: string, key: string): Parsed {
  const hash = createHash("sha256").update(certificate).update(" ").update(key).digest("base64");
  const known = parsed.get(hash);
  if (known !== undefined) return known;
  const result = parse(decode(certificate), decode(key));
  for (const [oldest] of parsed) {
    if (parsed.size < maxParsed) break;
    parsed.delete(oldest);
  }
  parsed.set(hash, result);
  return result;
}

/** The result is written anew from what was parsed, so that nothing else in the Secret reaches nginx. */
function parse(certificatePem: string, keyPem: string): Parsed {
  const blocks = [...certificatePem.matchAll(block)].filter(([, label]) => label === "CERTIFICATE");
  if (blocks.length > maxChain) {
    return { problem: `has ${blocks.length} certificates in tls.crt: at most ${maxChain} are supported` };
  }
  const chain: X509Certificate[] = [];
  for (const [index, [pem]] of blocks.entries()) {
    try {
      chain.push(new X509Certificate(pem));
    } catch (error) {
      return { problem: `has a malformed certificate in tls.crt, number ${index + 1}: ${reason(error)}` };
    }
  }
  const leaf = chain[0];
  if (leaf === undefined) return { problem: "has no PEM certificate in tls.crt" };
  let key: KeyObject;
  try {
    key = createPrivateKey(keyPem);
  } catch (error) {
    return { problem: `has no usable PEM key without a passphrase in tls.key: ${reason(error)}` };
  }
  const { asymmetricKeyType, asymmetricKeyDetails } = key;
  if (!keyTypes.has(asymmetricKeyType)) {
    return { problem: `has a key of type ${asymmetricKeyType ?? "unknown"}: use RSA, EC or Ed25519` };
  }
  const bits = asymmetricKeyDetails?.modulusLength;
  if (bits !== undefined && bits < minRsaBits) {
    return { problem: `has an RSA key of ${bits} bits: nginx needs ${minRsaBits} or more` };
  }
  if (bits !== undefined && bits > maxRsaBits) {
    return { problem: `has an RSA key of ${bits} bits, which is too slow: use ${maxRsaBits} or less, or EC` };
  }
  if (!leaf.checkPrivateKey(key)) {
    return { problem: "has a key in tls.key that does not belong to the first certificate in tls.crt" };
  }
  const certificate = chain.map(String).join("");
  const privateKey = String(key.export({ type: "pkcs8", format: "pem" }));
  try {
    // nginx would refuse the whole configuration for a weak curve or signature.
    createSecureContext({ cert: certificate, key: privateKey, ciphers });
  } catch (error) {
    return { problem: `has a certificate that OpenSSL does not accept: ${reason(error)}` };
  }
  return {
    certificate,
    key: privateKey,
    fingerprint: leaf.fingerprint256,
    begins: Date.parse(leaf.validFrom),
    expires: Date.parse(leaf.validTo),
  };
}

function decode(base64: string): string {
  return Buffer.from(base64, "base64").toString("latin1");
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
