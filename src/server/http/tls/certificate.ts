import { createPrivateKey, X509Certificate } from "node:crypto";
import { isIP } from "node:net";

/** Certificate and private key in PEM. Intermediate certificates may follow the certificate. */
export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

/** Unusable certificate or private key. */
export class CertificateError extends Error {
  override readonly name = "CertificateError";
}

/** Subject alternative names of a certificate: DNS names and IP addresses. */
export function namesOf(cert: string): string[] {
  const { subjectAltName = "" } = parse(cert);
  const names: string[] = [];
  for (const entry of subjectAltName.split(", ")) {
    if (entry.startsWith("DNS:")) names.push(entry.slice("DNS:".length));
    else if (entry.startsWith("IP Address:")) names.push(canonicalAddress(entry.slice("IP Address:".length)));
  }
  return names;
}

/** Throws when certificate or key cannot be parsed, or do not match. */
export function checkKeyPair({ cert, key }: KeyPair): void {
  const certificate = parse(cert);
  let matches: boolean;
  try {
    matches = certificate.checkPrivateKey(createPrivateKey(key));
  } catch (error) {
    throw new CertificateError("the private key cannot be read; it must be unencrypted PEM", {
      cause: error,
    });
  }
  if (!matches) throw new CertificateError("the private key does not belong to the certificate");
}

/** True when a certificate is its own issuer, so that clients have to be given it. */
export function isSelfSigned(cert: string): boolean {
  const { subject, issuer } = parse(cert);
  return subject === issuer;
}

/** True when a certificate is signed by the CA, has all names, and is valid until the given time. */
export function isUsable(
  pair: KeyPair,
  ca: string,
  { names, until }: { names: readonly string[]; until: number },
): boolean {
  try {
    checkKeyPair(pair);
    const certificate = parse(pair.cert);
    const covered = new Set(namesOf(pair.cert));
    return (
      certificate.verify(parse(ca).publicKey) &&
      Date.parse(certificate.validTo) >= until &&
      names.every((name) => covered.has(name))
    );
  } catch {
    return false;
  }
}

function parse(cert: string): X509Certificate {
  try {
    return new X509Certificate(cert);
  } catch (error) {
    throw new CertificateError("the certificate cannot be read; it must be PEM", { cause: error });
  }
}

/** Canonical spelling of an IP address or name, for comparison. */
export function canonicalAddress(address: string): string {
  if (isIP(address) !== 6) return address.toLowerCase();
  return new URL(`http://[${address}]`).hostname.slice(1, -1);
}
