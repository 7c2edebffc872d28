import { pause, pauseIfExpensive } from "../../event-loop/turns.js";
import type { ListFormat } from "../../output-formats/list-format.js";
import { renderListMeta } from "../../output-formats/partial-metadata.js";
import type { ListEnd, ListResponse } from "../../registry/requests.js";
import type { ObjectResponse } from "../../resources/stored-object.js";

/** Characters that are collected before they are sent. */
const chunkSize = 64 * 1024;

/** Items between two pauses. */
const itemsPerPause = 8;

/**
 * Chunks of a large list, made while its objects are read and sent. Its metadata comes after its items, because only then it is
 * known where the next page begins.
 */
export async function* listChunks(
  list: ListResponse,
  format: ListFormat,
  { user, pretty }: { readonly user: string; readonly pretty: boolean },
): AsyncGenerator<Buffer | string, void, undefined> {
  const { fields, itemsField } = format;
  const indent = pretty ? 2 : undefined;
  const open = JSON.stringify({ ...fields, [itemsField]: [] }, undefined, indent);
  let text = open.slice(0, open.lastIndexOf("]"));
  let separator = pretty ? "\n    " : "";
  let count = 0;
  let end: ListEnd = list;
  for await (const item of itemsOf(list, (found) => (end = found))) {
    if (++count % itemsPerPause === 0) await pause(user);
    else await pauseIfExpensive(user, item.size);
    const encoded = format.item(item);
    text += separator;
    if (pretty) text += indented(encoded.toString());
    else if (typeof encoded === "string") text += encoded;
    else {
      yield text;
      text = "";
      yield encoded;
    }
    separator = pretty ? ",\n    " : ",";
    if (text.length < chunkSize) continue;
    yield text;
    text = "";
  }
  const metadata = JSON.stringify(
    { metadata: renderListMeta({ ...end, resourceVersion: list.resourceVersion }) },
    undefined,
    indent,
  );
  yield `${text}${pretty && count > 0 ? "\n  " : ""}],${metadata.slice(1)}${pretty ? "" : "\n"}`;
}

async function* itemsOf(
  { items, rest }: ListResponse,
  onEnd: (end: ListEnd) => void,
): AsyncGenerator<ObjectResponse, void, undefined> {
  // Released one by one, so that what was sent is not kept for a slow reader.
  const first = items.toReversed();
  for (let item = first.pop(); item !== undefined; item = first.pop()) yield item;
  if (rest === undefined) return;
  try {
    for (;;) {
      const { done, value } = await rest.next();
      if (done) return onEnd(value);
      yield* value;
    }
  } finally {
    await rest.return({});
  }
}

/** JSON of an item, indented as in a list. */
function indented(json: string): string {
  return JSON.stringify(JSON.parse(json), undefined, 2).replaceAll("\n", "\n    ");
}
