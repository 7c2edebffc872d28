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
      why: "`x-kubernetes-unions` is left out: no client reads it.",
      covers: ({ path }) => path.endsWith(".x-kubernetes-unions"),
    },
    {
      why: "`DeleteOptions` is listed as a kind of the core group only, though clients may send it in any group.",
      covers: ({ path }) => path.includes(".v1.DeleteOptions.x-kubernetes-group-version-kind"),
    },
    {
      why: "The details of a Status are no list, so they have no list type.",
      covers: ({ path }) => path.endsWith(".v1.Status.properties.details.x-kubernetes-list-type"),
    },
  ],
};
