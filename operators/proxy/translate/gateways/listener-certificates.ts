import type { ListenerSpec } from "../../kinds/gateway-api.js";
import { loadCertificate, type LoadedCertificate } from "./certificates.js";
import { originKey, type CertificateFiles } from "../configuration.js";
import { joinMessages, type Problem } from "../findings.js";
import type { Grants } from "../grants.js";
import type { Identity } from "../identity.js";
import type { Translation, TranslationInput } from "../translation.js";

export type CertificateUse = Translation["certificates"][number];

/** Certificates of a listener. It is served with those that can be used, even if others cannot. */
export interface ListenerCertificates {
  readonly certificates: readonly CertificateFiles[];
  readonly uses: readonly CertificateUse[];
  readonly problem: Problem | undefined;
  /**
   * An expired certificate is served nevertheless: clients that do not check it go on, and the others get an error that names
   * the cause, where a closed port would hide it.
   */
  readonly warning: Problem | undefined;
}

const invalidReference = "InvalidCertificateRef";

type Reference = NonNullable<NonNullable<ListenerSpec["tls"]>["certificateRefs"]>[number];

export function resolveCertificates(
  { tls }: ListenerSpec,
  gateway: Identity,
  input: TranslationInput,
  grants: Grants,
): ListenerCertificates {
  const references = tls?.certificateRefs ?? [];
  if (references.length === 0) {
    const message = "protocol HTTPS needs tls.certificateRefs with a Secret of type kubernetes.io/tls";
    const problem = { reason: invalidReference, message };
    return { certificates: [], uses: [], problem, warning: undefined };
  }
  const certificates = new Map<string, CertificateFiles>();
  const uses: CertificateUse[] = [];
  const problems: Problem[] = [];
  const warnings: Problem[] = [];
  for (const reference of references) {
    const { namespace = gateway.namespace, name: secret } = reference;
    const loaded = resolve(reference, namespace, gateway, input, grants);
    const usable = "reason" in loaded ? servedBefore(loaded, namespace, secret, input) : loaded;
    if ("reason" in loaded) {
      const further = "; the certificate from before is served until it is corrected";
      problems.push(usable === undefined ? loaded : { ...loaded, message: `${loaded.message}${further}` });
    }
    if (usable === undefined) continue;
    const { files, fingerprint, expires } = usable;
    if (certificates.has(files.name)) continue;
    certificates.set(files.name, files);
    uses.push({ namespace, secret, fingerprint, expires });
    const warning = validityProblem(`${namespace}/${secret}`, usable, input.now);
    if (warning !== undefined) warnings.push(warning);
  }
  return {
    certificates: [...certificates.values()],
    uses,
    problem: first(problems),
    warning: first(warnings),
  };
}

/** The certificate that nginx has, in place of one that cannot be used; not without permission. */
function servedBefore(
  { reason }: Problem,
  namespace: string,
  name: string,
  { findServedSecret }: TranslationInput,
): LoadedCertificate | undefined {
  if (reason !== invalidReference) return undefined;
  const secret = findServedSecret(namespace, name);
  const loaded = secret && loadCertificate(secret);
  return loaded === undefined || "problem" in loaded ? undefined : loaded;
}

function resolve(
  { group, kind, name }: Reference,
  namespace: string,
  gateway: Identity,
  { findSecret, refused }: TranslationInput,
  grants: Grants,
): LoadedCertificate | Problem {
  const from = { group: "gateway.networking.k8s.io", kind: "Gateway", namespace: gateway.namespace };
  const invalid = (message: string): Problem => ({ reason: invalidReference, message });
  if (!grants.permit(from, { group, kind, namespace, name })) {
    const way = `create a ReferenceGrant in ${namespace} for gateways of ${gateway.namespace}`;
    return { reason: "RefNotPermitted", message: `${kind} ${namespace}/${name} may not be used: ${way}` };
  }
  if (group !== "" || kind !== "Secret") {
    return invalid(`${group === "" ? kind : `${kind}.${group}`} ${name} is not supported: use a Secret`);
  }
  const secret = findSecret(namespace, name);
  if (secret === undefined)
    return invalid(`there is no Secret ${name} of type kubernetes.io/tls in namespace ${namespace}`);
  const refusal = refused.get(originKey({ kind: "Secret", namespace, name }));
  if (refusal !== undefined) return invalid(`nginx refuses Secret ${namespace}/${name}: ${refusal}`);
  const loaded = loadCertificate(secret);
  return "problem" in loaded ? invalid(`Secret ${namespace}/${name} ${loaded.problem}`) : loaded;
}

function validityProblem(
  path: string,
  { begins, expires }: LoadedCertificate,
  now: number,
): Problem | undefined {
  const day = (time: number): string => new Date(time).toISOString();
  if (expires <= now) {
    const message = `the certificate in Secret ${path} expired at ${day(expires)} and is still served: renew it`;
    return { reason: "CertificateExpired", message };
  }
  if (begins <= now) return undefined;
  const message = `the certificate in Secret ${path} is not valid before ${day(begins)}`;
  return { reason: "CertificateNotYetValid", message };
}

function first(problems: readonly Problem[]): Problem | undefined {
  const [problem] = problems;
  if (problem === undefined) return undefined;
  return { reason: problem.reason, message: joinMessages(problems.map(({ message }) => message)) };
}
