/** Identity of a caller: a person or program with a credential, or a service inside this process. */
export interface User {
  readonly name: string;
  readonly uid?: string | undefined;
  readonly groups: readonly string[];
}

/** Group whose members may do everything. */
export const mastersGroup = "system:masters";

/** Group of everybody who presented a valid credential. */
export const authenticatedGroup = "system:authenticated";

/** Identity of requests without a credential. */
export const anonymous: User = Object.freeze({
  name: "system:anonymous",
  groups: Object.freeze(["system:unauthenticated"]),
});

/**
 * Identity of a part of Fettle that makes requests on its own account.
 *
 * @example
 * const user = serviceIdentity("system:fettle:controller:sites.demo.dev");
 */
export function serviceIdentity(name: string): User {
  return Object.freeze({ name, groups: Object.freeze([mastersGroup, authenticatedGroup]) });
}
