import { compilePattern } from "../../regex/pattern.js";
import { CelList } from "../values/list.js";
import type { Meter } from "../values/meter.js";
import { codePoints } from "../values/text.js";
import { CelError, type CelValue } from "../values/value.js";
import { metered, type Overload } from "./function.js";

const tooLong = new CelError("matching the regex takes too long");

/** Work to compile one character of a pattern. */
const compileWork = 16;

function matches(meter: Meter, text: string, source: string): CelValue {
  meter.work(source.length * compileWork);
  const { matches: test, fault, size } = compilePattern(source);
  if (test === undefined) return new CelError(fault);
  meter.work(Math.min((text.length * size) / 8, 1_000_000));
  return test(text) ?? tooLong;
}

/** Finds the first `limit` matches; all if it is negative. */
function findAll(meter: Meter, text: string, source: string, limit: number): string[] | CelError {
  meter.work(source.length * compileWork + text.length / 4);
  const { search, fault } = compilePattern(source);
  if (search === undefined) return new CelError(`Illegal regex: ${fault}`);
  const characters = codePoints(text);
  const codes = characters.map((character) => character.codePointAt(0) ?? 0);
  const found: string[] = [];
  let from = 0;
  let last = -1;
  while (from <= codes.length && (limit < 0 || found.length < limit)) {
    const { found: match, visits, gaveUp } = search(codes, from);
    meter.work(visits + 1);
    if (gaveUp) return tooLong;
    if (!match) break;
    const isEmpty = match.end === match.start;
    // No empty match directly after another match.
    if (!isEmpty || match.start !== last) found.push(characters.slice(match.start, match.end).join(""));
    last = match.end;
    from = isEmpty ? match.end + 1 : match.end;
  }
  return found;
}

/** Functions on regular expressions, in linear time. */
export const patternFunctions: readonly Overload[] = [
  metered("matches", "matches", "(string, string): bool", matches),
  metered("matches", "matches_string", "string.(string): bool", matches),
  metered("find", "string_find_string", "string.(string): string", (meter, text: string, source: string) => {
    const found = findAll(meter, text, source, 1);
    return found instanceof CelError ? found : (found[0] ?? "");
  }),
  metered(
    "findAll",
    "string_find_all_string",
    "string.(string): list(string)",
    (meter, text: string, source: string) => {
      const found = findAll(meter, text, source, -1);
      return found instanceof CelError ? found : new CelList(found);
    },
  ),
  metered(
    "findAll",
    "string_find_all_string_int",
    "string.(string, int): list(string)",
    (meter, text: string, source: string, limit: bigint) => {
      const found = findAll(meter, text, source, Number(limit));
      return found instanceof CelError ? found : new CelList(found);
    },
  ),
];
