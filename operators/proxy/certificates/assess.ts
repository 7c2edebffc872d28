import { duration } from "fettle";
import type { CertificateObject } from "../kinds/proxy.js";
import {
  CertificateFault,
  examineSecret,
  type ExaminedCertificate,
  type ExaminedPair,
  type TlsData,
} from "./examine.js";
import { canonicalAddress, type CertificateContent } from "./issue.js";

/** Time by which certificates are valid before they are issued, for clients whose clocks are slow. */
const backdated = 60_000;
const shortestDuration = 60_000;

/** Content that a certificate should have, or why its spec is invalid. */
export function desiredContent(
  { metadata, spec }: CertificateObject,
  ca: ExaminedCertificate | undefined,
  now: number,
): CertificateContent | { readonly fault: string } {
  const ipAddresses: string[] = [];
  for (const address of spec.ipAddresses) {
    const canonical = canonicalAddress(address);
    if (canonical === undefined) return { fault: `spec.ipAddresses: ${address} is not an IP address` };
    ipAddresses.push(canonical);
  }
  const lifetime = duration(spec.duration);
  if (lifetime < shortestDuration) {
    return { fault: `spec.duration: ${spec.duration} is too short, use at least 1m` };
  }
  if (!spec.isCA && spec.dnsNames.length + ipAddresses.length === 0) {
    return { fault: "spec.dnsNames and spec.ipAddresses are empty: clients would refuse the certificate" };
  }
  // Names that are too long for a common name are among the alternative names, which clients look at.
  const names = [...spec.dnsNames, ...ipAddresses, ...(spec.isCA ? [metadata.name ?? ""] : [])];
  return {
    commonName: spec.commonName ?? names.find((name) => name.length <= 64),
    dnsNames: [...new Set(spec.dnsNames)],
    ipAddresses: [...new Set(ipAddresses)],
    isCA: spec.isCA,
    notBefore: seconds(Math.max(now - backdated, ca?.notBefore ?? 0)),
    // A certificate that outlives its CA is refused from then on.
    notAfter: seconds(Math.min(now + lifetime, ca?.notAfter ?? Infinity)),
  };
}

/** Certificates have no milliseconds. */
function seconds(time: number): number {
  return Math.floor(time / 1000) * 1000;
}

/**
 * Time at which a certificate is renewed: `renewBefore` its end, or after two thirds of its validity if that is shorter, so that a new
 * certificate is not due for renewal at once.
 */
export function renewalTime(
  { notBefore, notAfter }: Pick<ExaminedCertificate, "notBefore" | "notAfter">,
  renewBefore: number,
): number {
  const lifetime = notAfter - notBefore;
  return notAfter - (renewBefore < lifetime ? renewBefore : Math.floor(lifetime / 3));
}

/** Use of the certificate in a Secret. */
export type Assessment =
  | { readonly type: "keep"; readonly pair: ExaminedPair; readonly renewal: number }
  | {
      readonly type: "issue";
      readonly reason: "Issued" | "Renewed" | "Reissued" | "SecretDamaged";
      /** Why another certificate is needed. */
      readonly message: string;
    };

/** Decides whether the certificate of a Secret can be used, or another one has to be issued. */
export function assess(
  data: TlsData,
  wanted: CertificateContent,
  ca: ExaminedCertificate | undefined,
  { renewBefore, now }: { readonly renewBefore: number; readonly now: number },
): Assessment {
  if (data === undefined) return { type: "issue", reason: "Issued", message: "there was no certificate yet" };
  let pair: ExaminedPair;
  try {
    pair = examineSecret(data);
  } catch (error) {
    if (!(error instanceof CertificateFault)) throw error;
    return { type: "issue", reason: "SecretDamaged", message: `the Secret was damaged: ${error.message}` };
  }
  const { certificate } = pair;
  const difference = differenceOf(certificate, wanted) ?? issuerDifference(certificate, ca);
  if (difference !== undefined) return { type: "issue", reason: "Reissued", message: difference };
  const renewal = renewalTime(certificate, renewBefore);
  // If the CA ends first, another certificate would be valid for no longer than this one.
  const isLonger = wanted.notAfter > certificate.notAfter;
  if (now >= renewal && isLonger) {
    const end = new Date(certificate.notAfter).toISOString();
    return { type: "issue", reason: "Renewed", message: `the last one is valid until ${end}` };
  }
  return { type: "keep", pair, renewal };
}

function differenceOf(certificate: ExaminedCertificate, wanted: CertificateContent): string | undefined {
  const isSame = (one: readonly string[], other: readonly string[]): boolean =>
    one.toSorted().join() === other.toSorted().join();
  if (!isSame(certificate.dnsNames, wanted.dnsNames)) return "spec.dnsNames has changed";
  if (!isSame(certificate.ipAddresses, wanted.ipAddresses)) return "spec.ipAddresses has changed";
  if (certificate.commonName !== wanted.commonName) return "the common name has changed";
  if (certificate.isCA !== wanted.isCA) return "spec.isCA has changed";
  return undefined;
}

function issuerDifference(
  certificate: ExaminedCertificate,
  ca: ExaminedCertificate | undefined,
): string | undefined {
  if (ca === undefined) return certificate.isSelfSigned ? undefined : "spec.issuer has changed to selfSigned";
  // With the same key, too: clients get the certificate of the CA with this one.
  if (certificate.chain[0] === ca.fingerprint && certificate.isSignedBy(ca)) return undefined;
  return "the certificate of the CA has changed";
}
