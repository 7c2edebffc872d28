/** Cluster information passed to a plugin. */
export interface ExecCluster {
  readonly server: string;
  readonly serverName?: string | undefined;
  readonly insecure?: boolean | undefined;
  readonly ca?: Buffer | undefined;
  readonly proxyUrl?: string | undefined;
  readonly config?: unknown;
}

/** Value of KUBERNETES_EXEC_INFO, without empty fields. */
export function execInfo(apiVersion: string, interactive: boolean, cluster?: ExecCluster): string {
  const spec = {
    cluster: cluster && {
      server: cluster.server,
      "tls-server-name": cluster.serverName,
      "insecure-skip-tls-verify": cluster.insecure || undefined,
      "certificate-authority-data": cluster.ca?.toString("base64"),
      "proxy-url": cluster.proxyUrl,
      config: cluster.config,
    },
    interactive,
  };
  return JSON.stringify({ kind: "ExecCredential", apiVersion, spec }, (_, value: unknown) =>
    typeof value === "bigint" ? Number(value) : value,
  );
}
