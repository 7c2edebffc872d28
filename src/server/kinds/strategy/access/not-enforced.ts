import type { KindStrategy } from "../../../resources/resource-type.js";

/** Warns whoever writes a role or a binding: they are stored, and grant or deny nothing. */
export const warnNotEnforced: NonNullable<KindStrategy["warnings"]> = ({ kind }) => [
  `roles and bindings are not enforced here: this ${kind} is stored, and grants nothing. ` +
    "Members of system:masters may do everything and others nothing, unless the server has an authorizer of its own",
];
