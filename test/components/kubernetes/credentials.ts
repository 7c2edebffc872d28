import { generateKeyPairSync, randomUUID } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export const tokensFile = "tokens.csv";

/** Users of the API server, with their groups. */
const users = {
  admin: ["system:masters"],
  alice: ["developers"],
  bob: [],
} as const satisfies Record<string, readonly string[]>;

/** Bearer tokens by user. */
export type Tokens = Readonly<Record<keyof typeof users, string>>;

/** Writes the file for `--token-auth-file`. */
export function writeTokens(dir: string): void {
  const lines = Object.entries(users).map(
    ([name, groups]) => `${randomUUID()},${name},uid-${name},"${groups.join(",")}"`,
  );
  writeFileSync(join(dir, tokensFile), `${lines.join("\n")}\n`, { mode: 0o600 });
}

/** Tokens that {@link writeTokens} created. */
export function readTokens(dir: string): Tokens {
  const lines = readFileSync(join(dir, tokensFile), "utf8").split("\n");
  const of = (name: keyof Tokens): string =>
    lines.map((line) => line.split(",")).find(([, user]) => user === name)?.[0] ?? "";
  return { admin: of("admin"), alice: of("alice"), bob: of("bob") };
}

/** Writes the keys for tokens of service accounts. */
export function writeServiceAccountKeys(dir: string): void {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const key = privateKey.export({ type: "pkcs8", format: "pem" });
  writeFileSync(join(dir, "service-accounts.key"), key, { mode: 0o600 });
  writeFileSync(join(dir, "service-accounts.pub"), publicKey.export({ type: "spki", format: "pem" }));
}

/** Writes a kubeconfig with a token; returns its path. */
export function writeKubeconfig(dir: string, name: string, access: Access): string {
  const path = join(dir, `${name}.kubeconfig`);
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [
      {
        name: "kubernetes",
        cluster: { server: access.url, "certificate-authority-data": btoa(access.ca) },
      },
    ],
    users: [{ name, user: { token: access.token } }],
    contexts: [{ name, context: { cluster: "kubernetes", user: name } }],
    "current-context": name,
  };
  // JSON is YAML too.
  writeFileSync(path, JSON.stringify(config), { mode: 0o600 });
  return path;
}

interface Access {
  readonly url: string;
  readonly ca: string;
  readonly token: string;
}
