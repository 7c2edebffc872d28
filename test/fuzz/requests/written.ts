import { breaks } from "../breaks/index.js";
import { pathOf } from "../breaks/addresses.js";
import { bodyOf } from "../breaks/body-of.js";
import { queryOf } from "../breaks/query.js";
import type { Choices } from "../choices.js";
import type { Draft, FuzzRequest } from "./draft.js";

/** Maximum length of a target: the server's limit for the head, minus room for the headers. */
const longestTarget = 50_000;

/** Breaks a request in zero or more ways, and encodes it. */
export function breakRequest(draft: Draft, choices: Choices): FuzzRequest {
  const ways = choices.weighted([
    [4, 0],
    [5, 1],
    [2, 2],
    [1, 3],
  ]);
  const chosen = new Set<number>();
  for (let turn = 0; turn < ways; turn++) {
    const possible = breaks.flatMap((each, at) => (each.applies(draft) ? [[each.weight, at] as const] : []));
    chosen.add(choices.weighted(possible));
  }
  for (const at of [...chosen].sort((one, other) => one - other)) {
    const way = breaks[at];
    if (way === undefined || !way.applies(draft)) continue;
    way.spoil(draft, choices);
    draft.broken.push(way.name);
  }
  return written(draft);
}

/** Encodes a request. */
export function written(draft: Draft): FuzzRequest {
  const { family, verb, method, headers, waits, attention, broken } = draft;
  const target = pathOf(draft) + queryOf(draft);
  // The server may reject the request before it is complete, and close the connection before the response is read.
  const lies = draft.lies || target.length > longestTarget;
  return { family, verb, method, target, headers, body: bodyOf(draft), lies, waits, attention, broken };
}
