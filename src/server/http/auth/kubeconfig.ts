import { readFile } from "node:fs/promises";
import { writePrivateFile } from "./private-file.js";
import { CredentialsError } from "./credentials.js";

export interface KubeconfigOptions {
  /** `https://127.0.0.1:6443` */
  readonly server: string;
  readonly token: string;
  /** CA certificate of the server in PEM. */
  readonly ca?: string | undefined;
  /** Name in the server's certificate, if it is not the one in the URL. */
  readonly serverName?: string | undefined;
}

const header = "# Written by fettle at every start; changes made here are lost.";

/** Renders a kubeconfig with address, CA and token. */
export function kubeconfig({ server, token, ca, serverName }: KubeconfigOptions): string {
  // A JSON string is also a YAML string.
  const authority = ca === undefined ? "" : Buffer.from(ca).toString("base64");
  const lines = [
    header,
    "apiVersion: v1",
    "kind: Config",
    "current-context: fettle",
    "clusters:",
    "- name: fettle",
    "  cluster:",
    `    server: ${JSON.stringify(server)}`,
    ...(authority === "" ? [] : [`    certificate-authority-data: ${authority}`]),
    ...(serverName === undefined ? [] : [`    tls-server-name: ${JSON.stringify(serverName)}`]),
    "users:",
    "- name: fettle",
    "  user:",
    `    token: ${JSON.stringify(token)}`,
    "contexts:",
    "- name: fettle",
    "  context:",
    "    cluster: fettle",
    "    user: fettle",
    "preferences: {}",
  ];
  return `${lines.join("\n")}\n`;
}

/** Writes a kubeconfig that only its owner can read. Throws if the file exists and was not written by Fettle. */
export async function writeKubeconfig(path: string, options: KubeconfigOptions): Promise<void> {
  const before = await readIfExists(path);
  if (before !== undefined && before.trim() !== "" && !before.startsWith(header)) {
    throw new CredentialsError(
      `${path} was not written by fettle and is not overwritten; choose another path for the kubeconfig`,
    );
  }
  await writePrivateFile(path, kubeconfig(options));
}

async function readIfExists(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
