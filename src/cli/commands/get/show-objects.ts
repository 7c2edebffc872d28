import type { UntypedObject } from "../../../client/kinds/kind.js";
import type { KubeObject } from "../../../model/core.js";
import { titleOf, servedKindOf } from "../../objects/find-kind.js";
import { follow } from "../../objects/follow.js";
import type { Format } from "../../output/format.js";
import { printObjects } from "../../output/objects.js";
import { sortBy } from "../../output/sort-by.js";
import { textOption } from "../../command/options.js";
import { Reconnection } from "../../server/reconnection.js";
import { selectTarget } from "../../objects/resolve-objects.js";
import { readNames, type GetRequest, writeNotFound } from "./get-request.js";

type ObjectFormat = Exclude<Format, { readonly type: "table" }>;

/** Prints objects as YAML, JSON, names, or the fields that paths select. */
export async function showObjects(request: GetRequest, format: ObjectFormat): Promise<number | void> {
  const { server, targets, options, terminal, selection } = request;
  const { signal } = terminal;
  if (options["watch"] === true || options["watchOnly"] === true) {
    return watchObjects(request, format);
  }
  const objects: UntypedObject[] = [];
  let complete = true;
  for (const { kind, names } of targets) {
    if (names.length === 0) {
      const metadataOnly = format.type === "name" && options["sortBy"] === undefined;
      objects.push(...(await server.client.list(kind, { ...selection, metadataOnly, signal })).items);
    } else {
      const { namespace } = selection;
      const read = await readNames(request, kind, names, (name) =>
        server.client.get(kind, { name, namespace }, { signal }),
      );
      objects.push(...read.found);
      complete &&= read.complete;
    }
  }
  const path = textOption(options, "sortBy");
  const sorted = path === undefined ? objects : sortBy(objects, path, (object) => object);
  const single = targets.length === 1 && targets[0]?.names.length === 1;
  if (single && sorted.length === 0) return 0;
  if (sorted.length === 0 && format.type === "name") writeNotFound(request);
  terminal.stdout.write(await text(request, format, sorted, single));
  return complete ? 0 : 1;
}

/** Prints every object, then again whenever it changes, as a stream of YAML or JSON documents. */
async function watchObjects(request: GetRequest, format: ObjectFormat): Promise<void> {
  const { server, targets, options, terminal, selection } = request;
  const [target] = targets;
  if (target === undefined) return;
  let count = 0;
  const show = async (object: KubeObject): Promise<void> => {
    const document = await text(request, format, [object], true, count === 0);
    const separator = format.type === "yaml" && count > 0 ? "---\n" : "";
    count++;
    terminal.stdout.write(format.type === "jsonpath" ? `${document}\n` : `${separator}${document}`);
  };
  const onStart = async (objects: readonly UntypedObject[]): Promise<void> => {
    if (options["watchOnly"] !== true) for (const object of objects) await show(object);
  };
  const reconnection = new Reconnection(terminal);
  const selected = selectTarget(target, selection);
  const where = { ...selected, signal: terminal.signal, onStart, reconnection };
  for await (const { object } of follow(server.client, target.kind, where)) await show(object);
}

async function text(
  { server, options }: GetRequest,
  format: ObjectFormat,
  objects: readonly KubeObject[],
  single: boolean,
  isFirst = true,
): Promise<string> {
  const kinds = await server.kinds();
  return printObjects(format, {
    objects,
    single,
    withManagedFields: options["showManagedFields"] === true,
    headers: options["headers"] !== false && isFirst,
    titleOf: (object) => {
      const kind = servedKindOf(kinds, object);
      return kind === undefined
        ? `${object.kind}/${object.metadata.name}`
        : titleOf(kind, object.metadata.name);
    },
  });
}
