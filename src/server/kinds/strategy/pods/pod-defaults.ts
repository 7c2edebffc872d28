import type { Container, PodSpec, Volume } from "kubernetes-types/core/v1.js";

/** Defaults of pod templates that depend on other fields. */
export function defaultPodSpec(spec: PodSpec | undefined): void {
  if (spec === undefined) return;
  for (const container of containersOf(spec)) defaultContainer(container);
  for (const volume of spec.volumes ?? []) defaultVolume(volume);
  // serviceAccount is the deprecated name of serviceAccountName; both are kept equal.
  const account = spec.serviceAccountName || spec.serviceAccount;
  if (account) Object.assign(spec, { serviceAccountName: account, serviceAccount: account });
}

/** Defaults of pods that depend on other fields. */
export function defaultPod(spec: PodSpec | undefined): void {
  if (spec === undefined) return;
  defaultPodSpec(spec);
  for (const container of [...(spec.containers ?? []), ...(spec.initContainers ?? [])]) {
    requestLimits(container);
    if (!spec.hostNetwork) continue;
    for (const port of container.ports ?? []) port.hostPort ||= port.containerPort;
  }
  spec.enableServiceLinks ??= true;
}

/** Init, regular and ephemeral containers. */
function containersOf(spec: PodSpec): readonly Container[] {
  const ephemeral = (spec.ephemeralContainers ?? []) as Container[];
  return [...(spec.initContainers ?? []), ...(spec.containers ?? []), ...ephemeral];
}

function defaultContainer(container: Container): void {
  container.imagePullPolicy ||= pullPolicyFor(container.image ?? "");
}

function defaultVolume(volume: Volume): void {
  if (Object.keys(volume).length <= 1) volume.emptyDir = {};
  const image = (volume as { image?: { reference?: string; pullPolicy?: string } }).image;
  if (image) image.pullPolicy ||= pullPolicyFor(image.reference ?? "");
}

/** Always for images with the tag latest, or with neither tag nor digest. */
function pullPolicyFor(image: string): string {
  const [name = "", digest] = image.split("@");
  const tag = /:([^/:]+)$/.exec(name)?.[1] ?? (digest === undefined ? "latest" : "");
  return tag === "latest" ? "Always" : "IfNotPresent";
}

/** Requests default to limits. */
function requestLimits({ resources }: Container): void {
  if (resources?.limits) resources.requests = { ...resources.limits, ...resources.requests };
}
