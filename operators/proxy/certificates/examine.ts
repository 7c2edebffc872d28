import { createPrivateKey, X509Certificate } from "node:crypto";
import { canonicalAddress } from "./issue.js";

/** Content of a certificate. */
export interface ExaminedCertificate {
  readonly commonName: string | undefined;
  readonly dnsNames: readonly string[];
  readonly ipAddresses: readonly string[];
  readonly isCA: boolean;
  /** Milliseconds since 1970. */
  readonly notBefore: number;
  readonly notAfter: number;
  readonly serialNumber: string;
  /** SHA-256 in lower-case hexadecimal digits. */
  readonly fingerprint: string;
  /** Distinguished name, such as `CN=example`. */
  readonly issuer: string;
  readonly isSelfSigned: boolean;
  /** Fingerprints of the certificates after the first one. */
  readonly chain: readonly string[];
  /** True if the key of a CA has signed it. */
  isSignedBy(ca: ExaminedCertificate): boolean;
  readonly raw: X509Certificate;
}

/** Data of a Secret of type kubernetes.io/tls, in base64. */
export type TlsData = Readonly<Record<string, string>> | undefined;

/** Pair of a certificate and its key, with the text of both. */
export interface ExaminedPair {
  readonly certificate: ExaminedCertificate;
  readonly pem: { readonly certificate: string; readonly key: string };
}

/** A certificate or key is missing, malformed, or does not belong to the other. The message has nothing of the key. */
export class CertificateFault extends Error {
  override readonly name = "CertificateFault";
}

/**
 * Reads the certificate and key of a Secret, without regard to its validity.
 *
 * @throws {CertificateFault}
 */
export function examineSecret(data: TlsData): ExaminedPair {
  const pem = { certificate: decode(data, "tls.crt"), key: decode(data, "tls.key") };
  const certificate = examineCertificate(pem.certificate);
  let matches: boolean;
  try {
    matches = certificate.raw.checkPrivateKey(createPrivateKey(pem.key));
  } catch {
    // Messages of OpenSSL are of no help, and the error may refer to the key.
    throw new CertificateFault("tls.key is not a private key in PEM without a passphrase");
  }
  if (!matches) throw new CertificateFault("tls.key does not belong to the certificate in tls.crt");
  return { certificate, pem };
}

/**
 * Reads a certificate in PEM, the first of a chain.
 *
 * @throws {CertificateFault}
 */
export function examineCertificate(pem: string): ExaminedCertificate {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  const [first, ...others] = blocks.map((block, index) => parse(block, index));
  if (first === undefined) throw new CertificateFault("tls.crt has no certificate in PEM");
  const { dnsNames, ipAddresses } = namesOf(first.subjectAltName);
  return {
    commonName: /^CN=(.*)$/m.exec(first.subject)?.[1],
    dnsNames,
    ipAddresses,
    isCA: first.ca,
    notBefore: Date.parse(first.validFrom),
    notAfter: Date.parse(first.validTo),
    serialNumber: first.serialNumber.toLowerCase(),
    fingerprint: fingerprintOf(first),
    issuer: first.issuer?.replaceAll("\n", ", ") ?? "",
    isSelfSigned: first.issuer === first.subject && first.verify(first.publicKey),
    chain: others.map(fingerprintOf),
    isSignedBy: (ca) => first.checkIssued(ca.raw) && first.verify(ca.raw.publicKey),
    raw: first,
  };
}

function parse(block: string, index: number): X509Certificate {
  try {
    return new X509Certificate(block);
  } catch {
    throw new CertificateFault(`certificate ${index + 1} of tls.crt is malformed`);
  }
}

function decode(data: TlsData, field: string): string {
  const value = data?.[field];
  if (value === undefined || value === "") throw new CertificateFault(`${field} is missing`);
  return Buffer.from(value, "base64").toString("utf8");
}

/** Fingerprint as in {@link ExaminedCertificate}. */
function fingerprintOf({ fingerprint256 }: X509Certificate): string {
  return fingerprint256.replaceAll(":", "").toLowerCase();
}

/** Reads `DNS:a.example, IP Address:10.0.0.1`. Values with special characters are quoted, and are none that we would issue. */
function namesOf(text = ""): {
  readonly dnsNames: readonly string[];
  readonly ipAddresses: readonly string[];
} {
  const entries = [...text.matchAll(/(DNS|IP Address):("(?:[^"\\]|\\.)*"|[^,]*)/g)];
  const of = (type: string): readonly string[] =>
    entries.filter(([, each]) => each === type).map(([, , value = ""]) => value);
  return {
    dnsNames: of("DNS"),
    ipAddresses: of("IP Address").map((address) => canonicalAddress(address) ?? address),
  };
}
