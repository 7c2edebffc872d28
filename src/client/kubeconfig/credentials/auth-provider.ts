import { KubeconfigError } from "../kubeconfig-error.js";

const replacements = new Map([
  ["gcp", "install gke-gcloud-auth-plugin and run: gcloud container clusters get-credentials"],
  ["azure", "install kubelogin and run: kubelogin convert-kubeconfig"],
  ["oidc", "install the kubectl plugin oidc-login and run: kubectl oidc-login setup"],
]);

/** Auth providers are gone from Kubernetes, or about to be; what replaced them is an exec plugin. */
export function refuseAuthProvider(name: string, where: string): never {
  const wayOut = replacements.get(name) ?? "use an exec plugin, a token or a client certificate";
  throw new KubeconfigError(
    `${where}: auth-provider ${JSON.stringify(name)} is not supported, since exec plugins have replaced it; ${wayOut}`,
  );
}
