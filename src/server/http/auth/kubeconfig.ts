import { readFile } from "node:fs/promises";
import { writePrivateFile } from "./private-file.js";
import { CredentialsError } from "./credentials.js";

export interface KubeconfigOptions {
  /** `https://127.0.0.1:6443` */
  readonly server: string;
  readonly token: string;
  /** The certificate of the authority that signed the server's, in PEM. */
  readonly ca?: string | undefined;
}

const mark = "# Written by fettle at every start; changes made here are lost.";

/** What kubectl and every other client needs to find the server and be let in. */
export function kubeconfig({ server, token, ca }: KubeconfigOptions): string {
  // JSON's quotes are YAML's too.
  const authority = ca === undefined ? "" : Buffer.from(ca).toString("base64");
  const lines = [
    mark,
    "apiVersion: v1",
    "kind: Config",
    "current-context: fettle",
    "clusters:",
    "- name: fettle",
    "  cluster:",
    `    server: ${JSON.stringify(server)}`,
    ...(authority === "" ? [] : [`    certificate-authority-data: ${authority}`]),
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

/** Writes a kubeconfig for its owner's eyes only. A file that somebody else wrote is left alone. */
export async function writeKubeconfig(path: string, options: KubeconfigOptions): Promise<void> {
  const before = await readIfThere(path);
  if (before !== undefined && before.trim() !== "" && !before.startsWith(mark)) {
    throw new CredentialsError(
      `${path} was not written by fettle and is left as it is; name another file for the kubeconfig`,
    );
  }
  await writePrivateFile(path, kubeconfig(options));
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
