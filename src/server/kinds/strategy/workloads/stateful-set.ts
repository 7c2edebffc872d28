import type { StatefulSet, StatefulSetSpec } from "kubernetes-types/apps/v1.js";
import type { PersistentVolumeClaim } from "kubernetes-types/core/v1.js";
import type { fieldErrors, KubeObject } from "../../../../model/core.js";
import type { Draft } from "../../../resources/resource-type.js";
import { Checks, same } from "../checks.js";
import { nameColumn } from "../../../output-formats/columns.js";
import { builtInAgeColumn, column, containerColumns } from "../columns.js";
import { as, type KindRules, strategyOf, resetStatus } from "../kind-rules.js";
import { defaultPodSpec } from "../pods/pod-defaults.js";
import { replicaPaths, validateSelectedTemplate } from "./selected-template.js";
import { warnOfMissingPods } from "../pods/pod-warning.js";

export const statefulSet: KindRules = {
  columns: [
    nameColumn,
    column("Ready", "Ready pods out of desired pods.", (object) => {
      const { spec, status } = as<StatefulSet>(object);
      return `${status?.readyReplicas ?? 0}/${spec?.replicas ?? 0}`;
    }),
    builtInAgeColumn,
    ...containerColumns((object) => as<StatefulSet>(object).spec?.template.spec),
  ],
  defaults(object) {
    const { spec } = as<StatefulSet>(object);
    const strategy = spec?.updateStrategy;
    if (strategy && !strategy.type) {
      strategy.type = "RollingUpdate";
      strategy.rollingUpdate ??= { partition: 0 };
    }
    for (const claim of spec?.volumeClaimTemplates ?? []) defaultClaim(claim);
    defaultPodSpec(spec?.template.spec);
  },
  scale: replicaPaths,
  strategy: strategyOf({
    generation: true,
    warnings: warnOfMissingPods,
    prepareCreate: resetStatus,
    validate,
    validateUpdate: (object, old) => [...validate(object), ...validateUpdate(object, old)],
  }),
};

/** Claim templates are written with apiVersion and kind. */
function defaultClaim(claim: PersistentVolumeClaim): void {
  Object.assign(claim, { apiVersion: "v1", kind: "PersistentVolumeClaim" });
}

function validate(object: Draft): fieldErrors.FieldError[] {
  const { spec } = as<StatefulSet>(object);
  const checks = new Checks("spec");
  const policy = spec?.podManagementPolicy;
  if (policy !== "OrderedReady" && policy !== "Parallel") {
    checks.at("podManagementPolicy").invalid(policy, "must be 'OrderedReady' or 'Parallel'");
  }
  const { type, rollingUpdate } = spec?.updateStrategy ?? {};
  if (type !== "RollingUpdate" && type !== "OnDelete") {
    checks.at("updateStrategy").invalid(spec?.updateStrategy, "must be 'RollingUpdate' or 'OnDelete'");
  } else if (type === "OnDelete" && rollingUpdate) {
    const detail = "only allowed for updateStrategy 'RollingUpdate'";
    checks.at("updateStrategy", "rollingUpdate").invalid(rollingUpdate, detail);
  }
  checks.at("updateStrategy", "rollingUpdate", "partition").notNegative(rollingUpdate?.partition);
  checks.at("replicas").notNegative(spec?.replicas);
  checks.at("minReadySeconds").notNegative(spec?.minReadySeconds);
  validateSelectedTemplate(
    withClaims(spec),
    { name: "StatefulSet", inSelector: "statefulset", invalidSelector: "" },
    checks,
  );
  return checks.errors;
}

/** The spec with a volume in the template for each claim template. */
function withClaims(spec: StatefulSetSpec | undefined): Partial<StatefulSetSpec> {
  if (!spec?.volumeClaimTemplates?.length || !spec.template.spec) return spec ?? {};
  const declared = spec.template.spec.volumes ?? [];
  const names = new Set(declared.map(({ name }) => name));
  const claims = spec.volumeClaimTemplates.flatMap(({ metadata }) => metadata?.name ?? []);
  const more = claims.filter((name) => !names.has(name)).map((name) => ({ name }));
  const podSpec = { ...spec.template.spec, volumes: [...declared, ...more] };
  return { ...spec, template: { ...spec.template, spec: podSpec } };
}

function validateUpdate(object: Draft, old: KubeObject): fieldErrors.FieldError[] {
  const checks = new Checks("spec");
  if (!same(fixed(as<StatefulSet>(object).spec), fixed(as<StatefulSet>(old).spec))) {
    checks.forbidden(
      "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
    );
  }
  return checks.errors;
}

/** Fields that cannot change. */
function fixed(spec: Partial<StatefulSetSpec> | undefined): object {
  const { selector, serviceName, podManagementPolicy, volumeClaimTemplates } = spec ?? {};
  return {
    selector: selector ?? null,
    serviceName: serviceName ?? "",
    podManagementPolicy: podManagementPolicy ?? "",
    volumeClaimTemplates: volumeClaimTemplates ?? [],
  };
}
