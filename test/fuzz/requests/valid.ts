import type { JsonObject } from "../../../src/model/core.js";
import type { Choices } from "../choices.js";
import { familyOf, type Catalog } from "./catalog.js";
import { contentTypes, draft, placeholders, type Draft, type Form, type Pair } from "./draft.js";
import { apiVersionOf, validObject, type Target } from "./objects.js";
import { validPatch } from "./patches.js";
import { setField } from "./places.js";
import { encodedObjects } from "./protobuf.js";

/** Request for a path without a resource. */
export function documentDraft(catalog: Catalog, choices: Choices): Draft {
  const path = choices.pick(catalog.documents);
  const [before = "", after] = path.split("?");
  const family = before.split("/")[1] || "root";
  const accept = choices.pick([
    "application/json",
    "*/*",
    "application/yaml",
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json",
    "application/com.github.proto-openapi.spec.v2@v1.0+protobuf",
  ]);
  return draft({
    resource: undefined,
    family,
    verb: "read",
    method: "GET",
    segments: before.slice(1).split("/"),
    rawQuery: after ?? "",
    headers: [["accept", accept]],
  });
}

/** A request that should be answered as it hopes to, for one of the verbs of a kind. */
export function resourceDraft(target: Target, verb: string, catalog: Catalog, choices: Choices): Draft {
  const { resource } = target;
  const [action = "", subresource] = verb.split(" ");
  const onOne =
    action === "get" ||
    action === "update" ||
    action === "patch" ||
    action === "apply" ||
    action === "delete";
  const named = onOne ? [target.name, ...(subresource === undefined ? [] : [subresource])] : [];
  const made = draft({
    resource,
    family: familyOf(resource),
    verb: action,
    method: methods[action] ?? "GET",
    segments: [...collection(target, onOne || action === "create" || choices.below(4) > 0), ...named],
    query: queryFor(action, choices),
    headers: [["accept", choices.pick(accepted)]],
  });
  addBody(made, target, action, { subresource, catalog, choices });
  return made;
}

const methods: Readonly<Record<string, string>> = {
  create: "POST",
  update: "PUT",
  patch: "PATCH",
  apply: "PATCH",
  delete: "DELETE",
  deletecollection: "DELETE",
};

const accepted = [
  "application/json",
  "application/json",
  "*/*",
  "application/yaml",
  "application/json;as=Table;v=v1;g=meta.k8s.io,application/json",
  "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io,application/json",
  "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,application/json",
  "application/vnd.kubernetes.protobuf,application/json",
];

function collection({ resource, namespace }: Target, inNamespace: boolean): string[] {
  const { group, version, plural } = resource;
  const root = group === "" ? ["api", version] : ["apis", group, version];
  return [...root, ...(namespace !== undefined && inNamespace ? ["namespaces", namespace] : []), plural];
}

function queryFor(action: string, choices: Choices): Pair[] {
  switch (action) {
    case "list":
      return choices.pick<Pair[]>([
        [],
        [["limit", "2"]],
        [
          ["limit", "1"],
          ["continue", placeholders.continue],
        ],
        [["labelSelector", "app in (web,db),!gone"]],
        [["fieldSelector", "metadata.name!=a"]],
        [
          ["resourceVersion", placeholders.version],
          ["resourceVersionMatch", "Exact"],
        ],
        [["resourceVersion", "0"]],
      ]);
    case "watch":
      return [
        ["watch", choices.pick(["1", "true"])],
        ...choices.pick<Pair[]>([
          [["timeoutSeconds", "1"]],
          [["resourceVersion", placeholders.version]],
          [
            ["allowWatchBookmarks", "true"],
            ["sendInitialEvents", "true"],
            ["resourceVersionMatch", "NotOlderThan"],
          ],
          [
            ["labelSelector", "app=web"],
            ["timeoutSeconds", "1"],
          ],
        ]),
      ];
    case "apply":
      return [
        ["fieldManager", choices.pick(["me", "you"])],
        ...(choices.once(2) ? [["force", "true"] as Pair] : []),
      ];
    case "get":
      return [];
    case "delete":
    case "deletecollection":
      return choices.pick<Pair[]>([
        [],
        [],
        [["propagationPolicy", choices.pick(["Orphan", "Foreground", "Background"])]],
        [["gracePeriodSeconds", "0"]],
      ]);
    default:
      return choices.pick<Pair[]>([
        [],
        [],
        [["fieldManager", "me"]],
        [["dryRun", "All"]],
        [["fieldValidation", choices.pick(["Strict", "Warn", "Ignore"])]],
      ]);
  }
}

interface Around {
  readonly subresource: string | undefined;
  readonly catalog: Catalog;
  readonly choices: Choices;
}

function addBody(
  made: Draft,
  target: Target,
  action: string,
  { subresource, catalog, choices }: Around,
): void {
  if (action === "delete" && choices.once(2)) made.value = deleteOptions(choices);
  else if (action === "create" || action === "update" || action === "patch" || action === "apply") {
    const object = subresource === "scale" ? scaleOf(target) : validObject(target, catalog, choices);
    made.value = object;
    made.form = choices.pick<Form>(["json", "json", "yaml"]);
    if (action === "update" && choices.once(2))
      setField(metadataOf(object), "resourceVersion", placeholders.version);
    if (action === "apply") made.form = "apply-patch";
    if (action === "patch") {
      made.form = choices.pick<Form>(["json-patch", "merge-patch", "strategic-patch"]);
      made.value = validPatch(made.form, object, choices);
    } else if (choices.once(6)) addProtobuf(made, target, choices);
  } else return;
  if (made.value === undefined && made.bytes === undefined) return;
  made.headers.push(["content-type", contentTypes[made.form]]);
}

function addProtobuf(made: Draft, { resource }: Target, choices: Choices): void {
  const encoded = encodedObjects.get(`${apiVersionOf(resource)} ${resource.kind}`);
  if (encoded === undefined || made.form === "apply-patch") return;
  made.form = "protobuf";
  made.bytes = choices.pick(encoded);
}

function metadataOf(object: JsonObject): JsonObject {
  return object["metadata"] as JsonObject;
}

function scaleOf({ name, namespace }: Target): JsonObject {
  const metadata = { name, ...(namespace !== undefined && { namespace }) };
  return { apiVersion: "autoscaling/v1", kind: "Scale", metadata, spec: { replicas: 3 } };
}

function deleteOptions(choices: Choices): JsonObject {
  return {
    apiVersion: "v1",
    kind: "DeleteOptions",
    ...choices.pick<JsonObject>([
      { propagationPolicy: "Foreground" },
      { preconditions: { uid: placeholders.uid } },
      { preconditions: { uid: "11111111-2222-3333-4444-555555555555" } },
      { preconditions: { resourceVersion: placeholders.version } },
      { gracePeriodSeconds: 0, orphanDependents: true },
      { dryRun: ["All"] },
    ]),
  };
}
