import { failures } from "../../model/core.js";
import { authenticatedGroup } from "../../server/access/user.js";
import type { User } from "../../server/index.js";

/** @throws {ApiError} 401 without a credential. */
export function requireUser({ groups }: User): void {
  if (groups.includes(authenticatedGroup)) return;
  throw failures.unauthorized(
    "Unauthorized: send a token in the header Authorization: Bearer …; the kubeconfig of the control plane has one",
  );
}
