import { schedule, type State } from "fettle";
import { CertificateExpiring, type EventInput } from "fettle/events";
import type { Schedule } from "fettle/runtime";
import type { CertificateObject } from "../kinds/proxy.js";
import type { Translation } from "../translate/translation.js";

/** A certificate that is served. */
export type CertificateInUse = Translation["certificates"][number] & {
  /** Name for people. Default: that of the Secret. */
  readonly certificate?: string | undefined;
};

export interface CertificateExpiryOptions {
  /** Remembers which events were emitted, across restarts. */
  readonly state: Pick<State, "get" | "set">;
  readonly emit: (event: EventInput) => Promise<unknown>;
  readonly certificatesInUse: () => Promise<readonly CertificateInUse[]> | readonly CertificateInUse[];
  /** Told of certificates for which no event could be emitted; the next pass tries again. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

const day = 86_400_000;
/** Remaining days at which an event is emitted; 0 is the expiry itself. */
const thresholds = [0, 1, 7, 30];

/**
 * Emits `certificate.expiring` 30, 7 and 1 days before a certificate expires, and when it has expired. Each of them is emitted once for a
 * certificate, and one that is noticed later than that is emitted alone, without the earlier ones.
 */
export function certificateExpiry(options: CertificateExpiryOptions): Schedule {
  const { state, emit, certificatesInUse, onError } = options;
  return schedule({
    name: "certificate-expiry",
    every: "1h",
    over: async () => distinct(await certificatesInUse()),
    async each(certificate: CertificateInUse, { clock }) {
      const left = certificate.expires - clock.now();
      const threshold = thresholds.find((days) => left <= days * day);
      if (threshold === undefined) return "unchanged";
      const key = `certificate-expiry/${fingerprintOf(certificate)}`;
      const emitted = await state.get<number>(key);
      if (emitted !== undefined && emitted <= threshold) return "unchanged";
      await emit(expiryEvent(certificate, threshold, left));
      // After the event: a crash in between repeats it, with the same id, by which it is recognized.
      await state.set(key, threshold, { ttl: Math.max(left, 0) + 60 * day });
      return "changed";
    },
    onError,
  });
}

function expiryEvent(certificate: CertificateInUse, threshold: number, left: number): EventInput {
  const { namespace, secret, expires } = certificate;
  const data = {
    certificate: certificate.certificate ?? secret,
    namespace,
    secret,
    expires: new Date(expires).toISOString(),
    days: Math.max(0, Math.floor(left / day)),
  };
  return CertificateExpiring.event(data, {
    id: `certificate-expiry-${fingerprintOf(certificate)}-${threshold}`,
    subject: `${namespace}/${secret}`,
  });
}

/** The first of those that have the same fingerprint; those with a name of their own go first. */
function distinct(certificates: readonly CertificateInUse[]): readonly CertificateInUse[] {
  const found = new Map<string, CertificateInUse>();
  for (const certificate of certificates) {
    const key = fingerprintOf(certificate);
    const before = found.get(key);
    if (before === undefined || (before.certificate === undefined && certificate.certificate !== undefined)) {
      found.set(key, certificate);
    }
  }
  return [...found.values()];
}

/** Fingerprints are written with colons or without. */
function fingerprintOf({ fingerprint }: CertificateInUse): string {
  return fingerprint.replaceAll(":", "").toLowerCase();
}

/** Certificate that a Certificate object has issued, from its status; undefined before that. */
export function issuedCertificate({
  metadata,
  spec,
  status,
}: CertificateObject): CertificateInUse | undefined {
  if (status?.fingerprint === undefined || status.notAfter === undefined) return undefined;
  const { name = "", namespace = "" } = metadata;
  return {
    certificate: name,
    namespace,
    secret: spec.secretName ?? name,
    fingerprint: status.fingerprint,
    expires: Date.parse(status.notAfter),
  };
}
