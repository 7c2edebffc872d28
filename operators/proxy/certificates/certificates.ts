import {
  controller,
  duration,
  strategies,
  toIndexed,
  watch,
  type Controller,
  type KubeObject,
  type ObjectOf,
} from "fettle";
import { Secret } from "fettle/kubernetes";
import { controllerOf } from "fettle/model";
import { Certificate, type CertificateObject } from "../kinds/proxy.js";
import { assess, desiredContent, renewalTime } from "./assess.js";
import {
  CertificateFault,
  examineCertificate,
  examineSecret,
  type ExaminedCertificate,
  type ExaminedPair,
} from "./examine.js";
import { issueCertificate, type IssuedCertificate } from "./issue.js";

type SecretObject = ObjectOf<typeof Secret>;

/** Content of a Secret in a plan, which generates no key. */
const planned: IssuedCertificate = {
  certificate: "(generated)",
  key: "(generated)",
  ca: "(generated)",
};

export interface CertificatesOptions {
  /** Replaced in tests, which cannot wait for another thread. */
  readonly issue?: typeof issueCertificate | undefined;
}

/** Issues certificates, and renews them before they expire. */
export function certificates({ issue = issueCertificate }: CertificatesOptions = {}): Controller {
  return controller({
    for: Certificate,
    owns: [Secret],
    // The configured strategies apply to configurations, whose certificates must not wait once more.
    strategy: strategies.immediate,
    indexes: {
      /** Secret that is written to, and that of the CA. */
      secret: (certificate) => secretKeys(certificate),
    },
    watches: [watch(Secret, { to: toIndexed("secret", keyOf) })],

    async reconcile(certificate, context) {
      const { read, report, wait, fail, recordEvent, ensure, flush, ready, requeue, step, client, now } =
        context;
      const { spec, status, name, namespace } = certificate;
      const secretName = secretNameOf(certificate);
      if (spec.issuer.ca?.secretName === secretName) {
        return fail(
          "InvalidSpec",
          `spec.issuer.ca.secretName: ${secretName} is the Secret of this certificate`,
        );
      }

      const issuer = issuerOf(certificate, (secret) => read(Secret, secret), now());
      if (issuer.problem !== undefined) {
        const { reason, message } = issuer.problem;
        return isExpired(status?.notAfter, now())
          ? wait("Expired", `it was valid until ${status?.notAfter}, and cannot be renewed: ${message}`)
          : wait(reason, message);
      }
      const ca = issuer.pair?.certificate;
      const wanted = desiredContent(certificate, ca, now());
      if ("fault" in wanted) return fail("InvalidSpec", wanted.fault);

      const settings = { renewBefore: duration(spec.renewBefore), now: now() };
      const examine = (secret: SecretObject | undefined) => assess(secret?.data, wanted, ca, settings);
      let secret = read(Secret, secretName);
      let assessment = examine(secret);
      if (assessment.type === "issue") {
        // The cache may not have the certificate that was issued last, and a second key would replace one that is in use.
        secret = await client.find(Secret, { name: secretName, namespace });
        assessment = examine(secret);
      }
      const taken = takenBy(secret, certificate);
      if (taken !== undefined) return fail("SecretTaken", taken);

      let data: Readonly<Record<string, string>>;
      let current: ExaminedCertificate | undefined;
      if (assessment.type === "keep") {
        const { pem, certificate: kept } = assessment.pair;
        current = kept;
        data = secretData({ ...pem, ca: issuer.pair?.pem.certificate ?? pem.certificate });
      } else {
        const issued = await step("issue a certificate", { planned }, () => issue(wanted, issuer.pair?.pem));
        data = secretData(issued);
        current = issued === planned ? undefined : examineCertificate(issued.certificate);
      }
      ensure(Secret, secretName, { type: "kubernetes.io/tls", data });
      if (assessment.type === "issue") {
        // Written before the event says so.
        await flush();
        const { reason, message } = assessment;
        const type = reason === "SecretDamaged" ? "Warning" : "Normal";
        recordEvent(reason, `a certificate was issued: ${message}`, type);
      }
      if (current === undefined) return undefined;

      const renewal = renewalTime(current, settings.renewBefore);
      const isNew = status?.fingerprint !== current.fingerprint;
      const revision = (status?.revision ?? 0) + (isNew ? 1 : 0);
      report({
        serialNumber: current.serialNumber,
        fingerprint: current.fingerprint,
        notBefore: timeText(current.notBefore),
        notAfter: timeText(current.notAfter),
        renewalTime: timeText(renewal),
        issuer: current.issuer,
        revision,
      });
      if (now() >= current.notAfter) {
        return wait("Expired", `${name} was valid until ${timeText(current.notAfter)}`);
      }
      ready(
        revision > 1 ? "Renewed" : "Issued",
        `Secret ${secretName} has a certificate that is valid until ${timeText(current.notAfter)}`,
      );
      // One that cannot be renewed, because its CA ends as early, is looked at again when it has expired.
      const next = renewal > now() ? renewal : current.notAfter;
      return requeue(next - now(), next === renewal ? "renew the certificate" : "the certificate expires");
    },
  });
}

interface Issuer {
  /** Certificate and key of the CA; undefined for a certificate that signs itself. */
  readonly pair?: ExaminedPair | undefined;
  readonly problem?: { readonly reason: string; readonly message: string } | undefined;
}

function issuerOf(
  { spec }: CertificateObject,
  find: (name: string) => SecretObject | undefined,
  now: number,
): Issuer {
  const { ca } = spec.issuer;
  if (ca === undefined) return {};
  const problem = (reason: string, message: string): Issuer => ({ problem: { reason, message } });
  const secret = find(ca.secretName);
  if (secret === undefined) return problem("IssuerNotFound", `there is no Secret ${ca.secretName}`);
  try {
    const pair = examineSecret(secret.data);
    const { isCA, notBefore, notAfter } = pair.certificate;
    const invalid = (text: string): Issuer => problem("IssuerInvalid", `Secret ${ca.secretName}: ${text}`);
    if (!isCA) return invalid("its certificate is not that of a CA");
    if (notBefore > now) return invalid(`its certificate is valid only from ${timeText(notBefore)}`);
    if (notAfter <= now) return invalid(`its certificate was valid until ${timeText(notAfter)}`);
    return { pair };
  } catch (error) {
    if (!(error instanceof CertificateFault)) throw error;
    return problem("IssuerInvalid", `Secret ${ca.secretName}: ${error.message}`);
  }
}

/** Says why an existing Secret is not written to: others have created it. */
function takenBy(secret: SecretObject | undefined, { metadata }: CertificateObject): string | undefined {
  if (secret === undefined) return undefined;
  const owner = controllerOf(secret);
  if (owner?.uid === metadata.uid) return undefined;
  const whose =
    owner === undefined ? "was not created for a Certificate" : `belongs to ${owner.kind} ${owner.name}`;
  return `Secret ${secret.metadata.name} exists and ${whose}: set another spec.secretName, or delete the Secret`;
}

function secretData({ certificate, key, ca }: IssuedCertificate): Readonly<Record<string, string>> {
  const encode = (text: string): string => Buffer.from(text).toString("base64");
  return { "tls.crt": encode(certificate), "tls.key": encode(key), "ca.crt": encode(ca) };
}

function secretNameOf({ metadata, spec }: CertificateObject): string {
  return spec.secretName ?? metadata.name ?? "";
}

function secretKeys(certificate: CertificateObject): readonly string[] {
  const { namespace = "" } = certificate.metadata;
  const ca = certificate.spec.issuer.ca?.secretName;
  return [secretNameOf(certificate), ...(ca === undefined ? [] : [ca])].map((name) => `${namespace}/${name}`);
}

function keyOf({ metadata }: KubeObject): string {
  return `${metadata.namespace ?? ""}/${metadata.name ?? ""}`;
}

function isExpired(notAfter: string | undefined, now: number): boolean {
  return notAfter !== undefined && Date.parse(notAfter) <= now;
}

function timeText(time: number): string {
  return new Date(time).toISOString();
}
