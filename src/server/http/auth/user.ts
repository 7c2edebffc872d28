/** Who is asking. */
export interface User {
  readonly name: string;
  readonly uid?: string | undefined;
  readonly groups: readonly string[];
}

/** Whose members may do everything. */
export const mastersGroup = "system:masters";

/** Everybody who said who they are is in this group. */
export const authenticatedGroup = "system:authenticated";

/** Whoever did not say who they are. */
export const anonymous: User = Object.freeze({
  name: "system:anonymous",
  groups: Object.freeze(["system:unauthenticated"]),
});
