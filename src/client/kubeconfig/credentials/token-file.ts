import { readFile } from "node:fs/promises";
import { KubeconfigError, reasonOf } from "../kubeconfig-error.js";
import type { Surroundings } from "../surroundings.js";
import { bearer } from "./authorization.js";
import { Rotating } from "./rotating.js";

/** Authorization header from a token file that is rotated before the token expires. */
export function tokenFile(path: string, where: string, surroundings: Surroundings): Rotating<string> {
  const read = async (): Promise<string> => {
    let text: string;
    try {
      text = await readFile(path, "utf8");
    } catch (error) {
      throw new KubeconfigError(`${where}: the token file ${path} cannot be read: ${reasonOf(error)}`, {
        cause: error,
      });
    }
    const token = text.trim();
    if (token === "") throw new KubeconfigError(`${where}: the token file ${path} is empty`);
    return bearer(token, `${where}: the token in ${path}`);
  };
  return new Rotating(`The token in ${path}`, read, surroundings);
}
