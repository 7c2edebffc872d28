import type { Binding, Pod, PodCondition, PodStatus } from "kubernetes-types/core/v1.js";
import { failures, fieldErrors, formatTime, type KubeObject } from "../../../model/core.js";
import type { Draft } from "../../resources/resource-type.js";
import { PlainObject } from "../../resources/stored-object.js";
import type { RegistryContext } from "../context.js";
import type { WriteRequest, WriteResponse } from "../requests.js";
import { copyJson } from "../write/copy-json.js";
import { decodeTyped } from "../write/decode-typed.js";
import { checkUid, writeObject } from "../write/update.js";

/** Assigns a pod to a node, as a scheduler does. */
export async function bind(context: RegistryContext, request: WriteRequest): Promise<WriteResponse> {
  const { name, body } = request;
  const { metadata = {}, target } = decodeTyped(request, body) as unknown as Binding;
  validateTarget(name, target);
  const { uid, resourceVersion } = metadata;
  const propose = ({ object }: { readonly object: KubeObject }): Draft => {
    const draft = copyJson(object) as Draft;
    const pod = draft as unknown as Pod;
    refuseUnlessFree(pod, name);
    pod.spec = { ...pod.spec, containers: pod.spec?.containers ?? [], nodeName: target.name };
    draft.metadata["annotations"] = { ...object.metadata.annotations, ...metadata.annotations };
    if (metadata.labels) draft.metadata["labels"] = { ...object.metadata.labels, ...metadata.labels };
    checkUid(request, { uid }, object.metadata.uid);
    if (resourceVersion) draft.metadata["resourceVersion"] = resourceVersion;
    setPodCondition(pod, { type: "PodScheduled", status: "True" }, formatTime(context.clock.now()));
    return draft;
  };
  await writeObject(context, request, { propose, recordOwnership: () => {} });
  return success();
}

/** Response of an action on a pod. */
export function success(): WriteResponse {
  const status = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 };
  return { object: new PlainObject(status), created: true };
}

/** Sets a condition; its time changes with its status. */
function setPodCondition(pod: Pod, condition: PodCondition, now: string): void {
  const before = pod.status?.conditions ?? [];
  const old = before.find(({ type }) => type === condition.type);
  const lastTransitionTime = old?.status === condition.status ? old.lastTransitionTime : now;
  const updated = {
    ...condition,
    lastProbeTime: null as unknown as string,
    ...(lastTransitionTime && { lastTransitionTime }),
  };
  const conditions =
    old === undefined ? [...before, updated] : before.map((each) => (each === old ? updated : each));
  (pod as { status?: PodStatus }).status = { ...pod.status, conditions };
}

function validateTarget(name: string, { kind, name: node }: Partial<Binding["target"]>): void {
  const errors: fieldErrors.FieldError[] = [];
  if (kind && kind !== "Node")
    errors.push(fieldErrors.notSupported("target.kind", kind, ["Node", "<empty>"]));
  if (!node) errors.push(fieldErrors.required("target.name"));
  if (errors.length > 0) throw failures.invalid({ group: "", kind: "Binding" }, name, errors);
}

function refuseUnlessFree({ metadata, spec }: Pod, name: string): void {
  const refuse = (why: string): never => {
    throw failures.conflict({ group: "", resource: "pods/binding" }, name, why);
  };
  if (metadata?.deletionTimestamp) refuse(`pod ${name} is being deleted, cannot be assigned to a host`);
  if (spec?.nodeName) refuse(`pod ${name} is already assigned to node ${JSON.stringify(spec.nodeName)}`);
  if (spec?.schedulingGates?.length) refuse(`pod ${name} has non-empty .spec.schedulingGates`);
}
