import type {
  LocalSubjectAccessReview,
  ResourceAttributes,
  SelfSubjectRulesReview,
  SubjectAccessReview,
} from "kubernetes-types/authorization/v1.js";
import { failures, fieldErrors, formatTime, type ObjectMeta } from "../../../../model/core.js";
import type { Attributes, Authorize } from "../../../access/authorize.js";
import type { User } from "../../../access/user.js";
import type { Draft } from "../../../resources/resource-type.js";
import { Checks } from "../checks.js";
import { as, strategyOf, type KindRules } from "../kind-rules.js";

type Answer = NonNullable<KindRules["answer"]>;
/** Fields of ResourceAttributes that `kubernetes-types` lacks. */
type SelectorAttributes = Partial<
  Record<"fieldSelector" | "labelSelector", { rawSelector?: string; requirements?: readonly unknown[] }>
>;
type ReviewSpec = SubjectAccessReview["spec"];

/** Rules of the kinds that ask who a user is and what a user may do. They are answered by the server's authorizer. */
export function accessReviews(
  authorize: Authorize,
): Readonly<
  Record<
    | "LocalSubjectAccessReview"
    | "SelfSubjectAccessReview"
    | "SelfSubjectReview"
    | "SelfSubjectRulesReview"
    | "SubjectAccessReview",
    KindRules
  >
> {
  return {
    SelfSubjectReview: review(answerWhoami),
    SelfSubjectRulesReview: review((object, { user }) => answerRules(authorize, object, user)),
    SelfSubjectAccessReview: review(async (object, { user }) => {
      const { spec } = as<SubjectAccessReview>(object);
      refuse(object, [...validateSpec(spec), ...validateMetadata(object, [])]);
      await decide(authorize, object, spec, user);
    }),
    SubjectAccessReview: review(async (object) => {
      const { spec } = as<SubjectAccessReview>(object);
      refuse(object, [...validateSpec(spec), ...validateSubject(spec), ...validateMetadata(object, [])]);
      await decide(authorize, object, spec, subjectOf(spec));
    }),
    LocalSubjectAccessReview: review(async (object) => {
      const { spec } = as<LocalSubjectAccessReview>(object);
      refuse(object, [
        ...validateSpec(spec),
        ...validateSubject(spec),
        ...validateMetadata(object, ["namespace"]),
        ...validateLocal(spec, object),
      ]);
      await decide(authorize, object, spec, subjectOf(spec));
    }),
  };
}

function review(answer: Answer): KindRules {
  return { columns: [], strategy: strategyOf({}), answer };
}

async function answerWhoami(object: Draft, { user, now }: Parameters<Answer>[1]): Promise<void> {
  const { name, uid, groups } = user;
  object.metadata = { creationTimestamp: formatTime(now) };
  object["status"] = { userInfo: { username: name, ...(uid && { uid }), groups } };
}

async function answerRules(authorize: Authorize, object: Draft, user: User): Promise<void> {
  const { namespace } = as<SelfSubjectRulesReview>(object).spec;
  if (!namespace) throw failures.badRequest("no namespace on request");
  const rules = await authorize.rules?.(user, namespace);
  // Kubernetes does not repeat the question.
  object.metadata = {};
  object["spec"] = {};
  object["status"] = {
    resourceRules: rules?.resourceRules ?? [],
    nonResourceRules: rules?.nonResourceRules ?? [],
    incomplete: rules === undefined || rules.incomplete === true,
    ...(rules === undefined && { evaluationError: "the authorizer does not list the rules of users" }),
  };
}

/** Fills in what the authorizer decides. Its exceptions deny, and are reported to the user who asked. */
async function decide(authorize: Authorize, object: Draft, spec: ReviewSpec, user: User): Promise<void> {
  try {
    const { allowed, reason } = await authorize(attributesOf(spec, user));
    object["status"] = { allowed, ...(reason && { reason }) };
  } catch (error) {
    object["status"] = { allowed: false, evaluationError: String(error) };
  }
}

function attributesOf({ resourceAttributes, nonResourceAttributes }: ReviewSpec, user: User): Attributes {
  if (resourceAttributes === undefined) {
    const { path = "", verb = "" } = nonResourceAttributes ?? {};
    return { user, verb, path };
  }
  const { verb = "", ...rest }: ResourceAttributes = resourceAttributes;
  const { group = "", version = "", resource = "", subresource, namespace, name } = rest;
  return {
    user,
    verb,
    path: "",
    resource: { group, version: version || "*", resource, subresource, namespace, name },
  };
}

function subjectOf({ user = "", uid, groups = [] }: ReviewSpec): User {
  return { name: user, uid, groups };
}

function validateSpec({
  resourceAttributes,
  nonResourceAttributes,
}: ReviewSpec): readonly fieldErrors.FieldError[] {
  const checks = new Checks("spec");
  if (resourceAttributes !== undefined && nonResourceAttributes !== undefined) {
    checks
      .at("nonResourceAttributes")
      .invalid({ ...nonResourceAttributes }, "cannot be specified in combination with resourceAttributes");
  }
  if (resourceAttributes === undefined && nonResourceAttributes === undefined) {
    checks
      .at("resourceAttributes")
      .invalid(null, "exactly one of nonResourceAttributes or resourceAttributes must be specified");
  }
  for (const field of ["fieldSelector", "labelSelector"] as const) {
    const selector = (resourceAttributes as SelectorAttributes | undefined)?.[field];
    if (selector === undefined) continue;
    const at = checks.at("resourceAttributes", field);
    const { rawSelector = "", requirements = [] } = selector;
    if (rawSelector !== "" && requirements.length > 0) {
      at.at("rawSelector").invalid(rawSelector, "may not specified at the same time as requirements");
    }
    if (rawSelector === "" && requirements.length === 0) {
      at.at("requirements").required(`when ${at.path} is specified, requirements or rawSelector is required`);
    }
  }
  return checks.errors;
}

function validateSubject({ user = "", groups = [] }: ReviewSpec): readonly fieldErrors.FieldError[] {
  if (user !== "" || groups.length > 0) return [];
  return [fieldErrors.invalid("spec.user", user, "at least one of user or group must be specified")];
}

function validateMetadata(
  { metadata }: Draft,
  allowed: readonly (keyof ObjectMeta)[],
): readonly fieldErrors.FieldError[] {
  const ignored = new Set<string>([...allowed, "managedFields"]);
  if (Object.keys(metadata).every((field) => ignored.has(field))) return [];
  const detail = allowed.length === 0 ? "must be empty" : `must be empty except for ${allowed.join()}`;
  return [fieldErrors.invalid("metadata", { ...metadata }, detail)];
}

function validateLocal(
  { resourceAttributes, nonResourceAttributes }: ReviewSpec,
  { metadata }: Draft,
): readonly fieldErrors.FieldError[] {
  const checks = new Checks("spec");
  if (resourceAttributes !== undefined) {
    const { namespace = "" } = resourceAttributes;
    if (namespace !== metadata["namespace"]) {
      checks.at("resourceAttributes", "namespace").invalid(namespace, "must match metadata.namespace");
    }
  }
  if (nonResourceAttributes !== undefined) {
    checks
      .at("nonResourceAttributes")
      .invalid({ ...nonResourceAttributes }, "disallowed on this kind of request");
  }
  return checks.errors;
}

function refuse({ kind }: Draft, errors: readonly fieldErrors.FieldError[]): void {
  if (errors.length > 0) throw failures.invalid({ group: "authorization.k8s.io", kind }, "", errors);
}
