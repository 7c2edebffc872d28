import { chmod, readFile } from "node:fs/promises";
import { join } from "node:path";
import { systemRandom, type Random } from "../../../model/core.js";
import { createPrivateFile, createPrivateFolder } from "./private-file.js";
import type { TokenEntry } from "./tokens.js";
import { mastersGroup } from "../../access/user.js";

/** A credentials file is unusable; the message says what to do. */
export class CredentialsError extends Error {
  override readonly name = "CredentialsError";
}

const tokenPattern = /^[\w.~+/-]{16,512}=*$/;

/**
 * Returns the administrator's token, created at the first start. Stored in `auth/admin-token` of the data folder, readable by
 * its owner only.
 */
export async function ensureCredentials(
  dataFolder: string,
  { random = systemRandom }: { random?: Random } = {},
): Promise<TokenEntry> {
  const folder = join(dataFolder, "auth");
  const path = join(folder, "admin-token");
  await createPrivateFolder(folder);
  const created = Buffer.from(random.bytes(32)).toString("base64url");
  const token = (await createPrivateFile(path, `${created}\n`)) ? created : await readToken(path);
  return { token, user: { name: "fettle-admin", groups: [mastersGroup] } };
}

async function readToken(path: string): Promise<string> {
  await chmod(path, 0o600);
  const token = (await readFile(path, "utf8")).trim();
  if (tokenPattern.test(token)) return token;
  throw new CredentialsError(
    `${path} does not contain a valid token; delete it, and the next start creates a new one`,
  );
}
