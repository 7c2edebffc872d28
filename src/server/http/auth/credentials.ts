import { chmod, readFile } from "node:fs/promises";
import { join } from "node:path";
import { systemRandom, type Random } from "../../../model/core.js";
import { createPrivateFile, privateFolder } from "./private-file.js";
import type { TokenEntry } from "./tokens.js";
import { mastersGroup } from "../../access/user.js";

/** A file of credentials that cannot be used; the message says what to do. */
export class CredentialsError extends Error {
  override readonly name = "CredentialsError";
}

const shape = /^[\w.~+/-]{16,512}=*$/;

/**
 * The administrator's token: made at the first start, the same ever after. It is kept in `auth/admin-token` of the data
 * folder, for its owner's eyes only.
 */
export async function ensureCredentials(
  dataFolder: string,
  { random = systemRandom }: { random?: Random } = {},
): Promise<TokenEntry> {
  const folder = join(dataFolder, "auth");
  const path = join(folder, "admin-token");
  await privateFolder(folder);
  const made = Buffer.from(random.bytes(32)).toString("base64url");
  const token = (await createPrivateFile(path, `${made}\n`)) ? made : await readToken(path);
  return { token, user: { name: "fettle-admin", groups: [mastersGroup] } };
}

async function readToken(path: string): Promise<string> {
  await chmod(path, 0o600);
  const token = (await readFile(path, "utf8")).trim();
  if (shape.test(token)) return token;
  throw new CredentialsError(`${path} holds no token; remove it, and the next start makes a new one`);
}
