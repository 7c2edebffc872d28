import type { Theme } from "./known-difference.js";

/** Fields that are behind a feature gate in Kubernetes 1.34. */
const alphaFields =
  /\.(restartPolicyRules|fileKeyRef|hostnameOverride|extendedResourceClaimStatus|podCertificate)$/;

export const types: Theme = {
  title: "Types in OpenAPI documents",
  differences: [
    {
      why: "Alpha fields of pods in Kubernetes 1.34 are missing: `restartPolicyRules`, `fileKeyRef`, `hostnameOverride`, `extendedResourceClaimStatus`, `podCertificate`.",
      covers: ({ path, ours }) => alphaFields.test(path) && ours === undefined,
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
      why: "`details` of a Status has no list type, since it is not a list.",
      covers: ({ path }) => path.endsWith(".v1.Status.properties.details.x-kubernetes-list-type"),
    },
  ],
};
