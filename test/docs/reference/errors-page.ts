import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { statusCodes, type StatusReason } from "../../../src/model/errors/status.js";
import { subpaths } from "./api-page.js";
import { errorAdvice } from "./error-advice.js";
import { exportsOf, firstSentence } from "./exports.js";
import { code, page, table } from "./markdown.js";
import { reasonAdvice, reasonsInCode } from "./reasons.js";
import { statusAdvice } from "./status-advice.js";

const about = `
Errors and what to do about them. Messages have the problem, its position and a hint; this page is the overview, and a reference for
programs that compare reasons and classes.
`;

/** Reasons of conditions, responses of the API, and classes of errors. */
export function errorsPage(): string {
  const reasons = Object.keys(reasonAdvice);
  const unexplained = [...reasonsInCode()].filter((reason) => !reasons.includes(reason));
  const forgotten = reasons.filter((reason) => !reasonsInCode().has(reason));
  complain(unexplained, "reasons of the runtime are not explained in test/docs/reference/reasons.ts");
  complain(forgotten, "reasons in test/docs/reference/reasons.ts are no longer set by the runtime");
  return page("What goes wrong", about, [
    "## Reasons in conditions and events",
    `Reasons that the runtime sets. If a run fails with an error of the API, its reason is that of the error (see below). All other reasons
are your own: the first argument of \`fail\`, \`wait\`, \`ready\`, \`condition\` and \`recordEvent\`. \`Stalled\` True means that nothing more happens until
something changes.`,
    table(
      ["reason", "where", "what it means", "what to do"],
      Object.entries(reasonAdvice).map(([reason, { where, means, advice }]) => [
        code(reason),
        where,
        means,
        advice,
      ]),
    ),
    "## Errors of the API",
    "An `ApiError` has Kubernetes' Status, with one of these reasons; `fettle/model` has functions to distinguish them.",
    table(["reason", "code", "predicate", "what to do"], statusRows()),
    "## Classes of errors",
    "Those with a path can be imported from there, and compared with `instanceof`. The others can be recognised by their `name`.",
    table(["class", "from", "what it means", "what to do"], classRows()),
  ]);
}

function statusRows(): string[][] {
  const predicates = new Set(exportsOf("src/model/errors/predicates.ts").map(({ name }) => name));
  return Object.entries(statusCodes).map(([reason, number]) => {
    const { by, advice } = statusAdvice[reason as StatusReason];
    if (by !== "") complain(predicates.has(by) ? [] : [by], "functions of status-advice.ts do not exist");
    return [code(reason), String(number), by === "" ? "" : code(`${by}()`), advice];
  });
}

function classRows(): string[][] {
  const classes = errorClasses();
  const imports = new Map<string, string>();
  for (const { path, file } of subpaths()) {
    for (const { name, parent } of exportsOf(file)) {
      const isError = parent === "Error" || parent === "StoreError";
      // The facade comes first, and is where most people import from.
      if (isError && !imports.has(name)) imports.set(name, path);
    }
  }
  complain(
    [...imports.keys()].filter((name) => errorAdvice[name] === undefined),
    "classes of errors that can be imported are not explained in test/docs/reference/error-advice.ts",
  );
  complain(
    Object.keys(errorAdvice).filter((name) => !classes.has(name)),
    "classes in test/docs/reference/error-advice.ts do not exist",
  );
  return Object.entries(errorAdvice).map(([name, advice]) => [
    code(name),
    code(imports.get(name) ?? ""),
    classes.get(name) ?? "",
    advice,
  ]);
}

/** All classes of errors in the sources, with the first sentence of their doc comments. */
function errorClasses(): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const declaration =
    /(?:\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*)?^(?:export )?(?:abstract )?class (\w+) extends (?:Store)?Error\b/gm;
  for (const file of readdirSync("src", { recursive: true, encoding: "utf8" })) {
    if (!file.endsWith(".ts") || file.endsWith(".test.ts")) continue;
    const source = readFileSync(join("src", file), "utf8");
    for (const [, comment, name = ""] of source.matchAll(declaration))
      found.set(name, firstSentence(comment));
  }
  return found;
}

function complain(names: readonly string[], what: string): void {
  if (names.length > 0) throw new Error(`${what}: ${names.join(", ")}`);
}
