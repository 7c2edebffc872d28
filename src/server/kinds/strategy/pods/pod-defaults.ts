import type { Container, PodSpec, Volume } from "kubernetes-types/core/v1.js";

/** What Kubernetes fills into the pods that something makes, as far as it depends on other fields. */
export function defaultPodSpec(spec: PodSpec | undefined): void {
  if (spec === undefined) return;
  for (const container of containersOf(spec)) defaultContainer(container);
  for (const volume of spec.volumes ?? []) defaultVolume(volume);
  // One has an older name besides, and both are always the same.
  const account = spec.serviceAccountName || spec.serviceAccount;
  if (account) Object.assign(spec, { serviceAccountName: account, serviceAccount: account });
}

/** The same for a pod itself. */
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

/** All containers of a pod, of whichever sort. */
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

/** An image that may have changed is fetched every time: one with the tag latest, or with neither tag nor digest. */
function pullPolicyFor(image: string): string {
  const [name = "", digest] = image.split("@");
  const tag = /:([^/:]+)$/.exec(name)?.[1] ?? (digest === undefined ? "latest" : "");
  return tag === "latest" ? "Always" : "IfNotPresent";
}

/** Who may use something needs it, unless told otherwise. */
function requestLimits({ resources }: Container): void {
  if (resources?.limits) resources.requests = { ...resources.limits, ...resources.requests };
}
