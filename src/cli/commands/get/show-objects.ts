import type { UntypedObject } from "../../../client/kinds/kind.js";
import type { KubeObject } from "../../../model/core.js";
import { titleOf, kindOf } from "../../kinds/find-kind.js";
import { follow } from "../../kinds/follow.js";
import type { Format } from "../../output/format.js";
import { printObjects } from "../../output/objects.js";
import { sortBy } from "../../output/sort-by.js";
import { textOption } from "../../kinds/asked.js";
import { Reconnection } from "../../reconnection.js";
import { eachName, nothingFound, type Asked } from "./asked.js";

type ObjectFormat = Exclude<Format, { readonly type: "table" }>;

/** Shows objects themselves: as YAML, JSON, names, or what paths find in them. */
export async function showObjects(asked: Asked, format: ObjectFormat): Promise<number | void> {
  const { server, targets, options, terminal, selection } = asked;
  const { signal } = terminal;
  if (options["watch"] === true || options["watchOnly"] === true) {
    return watchObjects(asked, format);
  }
  const objects: UntypedObject[] = [];
  let complete = true;
  for (const { kind, names } of targets) {
    if (names.length === 0) {
      const metadataOnly = format.type === "name" && options["sortBy"] === undefined;
      objects.push(...(await server.client.list(kind, { ...selection, metadataOnly, signal })).items);
    } else {
      const { namespace } = selection;
      const read = await eachName(asked, kind, names, (name) =>
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
  if (sorted.length === 0 && format.type === "name") nothingFound(asked);
  terminal.stdout.write(await text(asked, format, sorted, single));
  return complete ? 0 : 1;
}

/** Every object as it is, and then again whenever it changes: YAML documents, or JSON texts, one after the other. */
async function watchObjects(asked: Asked, format: ObjectFormat): Promise<void> {
  const { server, targets, options, terminal, selection } = asked;
  const [target] = targets;
  if (target === undefined) return;
  const [name] = target.names;
  const fieldSelector = name === undefined ? selection.fieldSelector : `metadata.name=${name}`;
  let shown = 0;
  const show = async (object: KubeObject): Promise<void> => {
    const document = await text(asked, format, [object], true, shown === 0);
    const separator = format.type === "yaml" && shown > 0 ? "---\n" : "";
    shown++;
    terminal.stdout.write(format.type === "jsonpath" ? `${document}\n` : `${separator}${document}`);
  };
  const onStart = async (objects: readonly UntypedObject[]): Promise<void> => {
    if (options["watchOnly"] !== true) for (const object of objects) await show(object);
  };
  const reconnection = new Reconnection(terminal);
  const where = { ...selection, fieldSelector, signal: terminal.signal, onStart, reconnection };
  for await (const { object } of follow(server.client, target.kind, where)) await show(object);
}

function text(
  { server, options }: Asked,
  format: ObjectFormat,
  objects: readonly KubeObject[],
  single: boolean,
  isFirst = true,
): Promise<string> {
  return printObjects(format, {
    objects,
    single,
    withManagedFields: options["showManagedFields"] === true,
    headers: options["headers"] !== false && isFirst,
    titleOf: (object) => {
      const kind = kindOf(server.kinds, object);
      return kind === undefined
        ? `${object.kind}/${object.metadata.name}`
        : titleOf(kind, object.metadata.name);
    },
  });
}
