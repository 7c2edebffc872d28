import type { Theme } from "./kept.js";

/** Fields that are behind a feature gate in Kubernetes 1.34. */
const trials =
  /\.(restartPolicyRules|fileKeyRef|hostnameOverride|extendedResourceClaimStatus|podCertificate)$/;

export const inTypes: Theme = {
  title: "Types, as OpenAPI tells them",
  kept: [
    {
      why: "What Kubernetes 1.34 has on trial in pods is not known: `restartPolicyRules`, `fileKeyRef`, `hostnameOverride`, `extendedResourceClaimStatus`, `podCertificate`.",
      covers: ({ path, ours }) => trials.test(path) && ours === undefined,
    },
    {
      why: "The strategy of a deployment is described in its place.",
      covers: ({ path }) => path.includes(".DeploymentSpec.strategy."),
    },
    {
      why: "The data of a controller revision may be anything that is JSON.",
      covers: ({ path }) => path.includes(".ControllerRevision.data."),
    },
    {
      why: "The details of a Status are no list.",
      covers: ({ path }) => path.endsWith(".v1.Status.details.x-kubernetes-list-type"),
    },
  ],
};
