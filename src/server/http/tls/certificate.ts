import { createPrivateKey, X509Certificate } from "node:crypto";
import { isIP } from "node:net";

/** A certificate with its key, both in PEM. The certificate may be followed by those between it and its authority. */
export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

/** A certificate that cannot be used. */
export class CertificateError extends Error {
  override readonly name = "CertificateError";
}

/** The names and addresses that a certificate is for. */
export function namesOf(cert: string): string[] {
  const { subjectAltName = "" } = parsed(cert);
  const names: string[] = [];
  for (const entry of subjectAltName.split(", ")) {
    if (entry.startsWith("DNS:")) names.push(entry.slice("DNS:".length));
    else if (entry.startsWith("IP Address:")) names.push(canonicalAddress(entry.slice("IP Address:".length)));
  }
  return names;
}

/** Throws when key and certificate do not belong together or cannot be read. */
export function checkKeyPair({ cert, key }: KeyPair): void {
  const certificate = parsed(cert);
  let matches: boolean;
  try {
    matches = certificate.checkPrivateKey(createPrivateKey(key));
  } catch (error) {
    throw new CertificateError("the private key cannot be read; it must be PEM without a password", {
      cause: error,
    });
  }
  if (!matches) throw new CertificateError("the private key does not belong to the certificate");
}

/** Whether a certificate is by this authority, for all these names, and will be for a while. */
export function isGood(
  pair: KeyPair,
  authority: string,
  { names, until }: { names: readonly string[]; until: number },
): boolean {
  try {
    checkKeyPair(pair);
    const certificate = parsed(pair.cert);
    const covered = new Set(namesOf(pair.cert));
    return (
      certificate.verify(parsed(authority).publicKey) &&
      Date.parse(certificate.validTo) >= until &&
      names.every((name) => covered.has(name))
    );
  } catch {
    return false;
  }
}

function parsed(cert: string): X509Certificate {
  try {
    return new X509Certificate(cert);
  } catch (error) {
    throw new CertificateError("the certificate cannot be read; it must be PEM", { cause: error });
  }
}

/** One spelling for every address, so that they can be compared. */
export function canonicalAddress(address: string): string {
  if (isIP(address) !== 6) return address.toLowerCase();
  return new URL(`http://[${address}]`).hostname.slice(1, -1);
}
