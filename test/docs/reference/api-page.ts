import { readFileSync } from "node:fs";
import * as kubernetes from "../../../src/client/kinds/kubernetes.js";
import { exportsOf, type Exported } from "./exports.js";
import { code, page, table } from "./markdown.js";

const about = `
What can be imported, by the path it is imported from. Most programs need \`fettle\` alone; the other paths have all there is of their part.
Doc comments, which editors show, say more than the sentence here. Nothing else can be imported.
`;

/** Purpose of each path; a new path needs a sentence here. */
const paths: Readonly<Record<string, string>> = {
  fettle: "Everything that most users need.",
  "fettle/model":
    "Objects, names, selectors, conditions, patches, apply, diffs, errors, schemas and time; no I/O.",
  "fettle/client":
    "The client, kubeconfigs, informers and pollers. [The client](../client.md) explains them.",
  "fettle/kubernetes": "Kubernetes' own kinds with their types, by their API version.",
  "fettle/events":
    "CloudEvents: bus, subscriptions, pipeline, sinks, plugins and state. [Events](../events.md) explains them.",
  "fettle/runtime": "Controllers and their parts. [Controllers](../controllers.md) explains them.",
  "fettle/store": "The contract of stores, and its implementations. [Stores](../stores.md) explains them.",
  "fettle/store/conformance": "Conformance suite for your own store.",
  "fettle/server": "The API server alone. [The API server](../server.md) explains it.",
  "fettle/plane": "Everything put together: control plane, operator, configuration, backup.",
  "fettle/cli": "Tools for the commands of an operator. [Operators](../operators.md#commands) explains them.",
  "fettle/testing": "Tools to test controllers, in any test runner.",
};

/** Paths of package.json with their source files. */
export function subpaths(): readonly { readonly path: string; readonly file: string }[] {
  const { exports } = JSON.parse(readFileSync("package.json", "utf8")) as {
    exports: Readonly<Record<string, string | { readonly types: string }>>;
  };
  return Object.entries(exports).flatMap(([path, target]) =>
    typeof target === "string"
      ? []
      : [
          {
            path: path.replace(/^\./, "fettle"),
            file: target.types.replace("./dist/", "src/").replace(/\.d\.ts$/, ".ts"),
          },
        ],
  );
}

/** Exports of each path. */
export function apiPage(): string {
  return page(
    "What can be imported",
    about,
    subpaths().flatMap(({ path, file }) => {
      const purpose = paths[path];
      if (purpose === undefined)
        throw new Error(`test/docs/reference/api-page.ts has no description of ${path}; add one`);
      const content = path === "fettle/kubernetes" ? kubernetesTable() : exportTable(exportsOf(file));
      return [`## ${path}`, purpose, content];
    }),
  );
}

function exportTable(exported: readonly Exported[]): string {
  const documented = exported.filter(({ summary }) => summary !== "");
  const rest = exported.filter(({ summary }) => summary === "").map(({ name }) => code(name));
  const rows = documented.map(({ name, what, summary }) => [code(name), what, summary]);
  const also = rest.length === 0 ? "" : `\nAnd, which their names explain: ${rest.join(", ")}.\n`;
  return table(["name", "what", "in a sentence"], rows) + also;
}

function kubernetesTable(): string {
  const byVersion = new Map<string, string[]>();
  for (const [name, { apiVersion }] of Object.entries(kubernetes)) {
    byVersion.set(apiVersion, [...(byVersion.get(apiVersion) ?? []), code(name)]);
  }
  return table(
    ["API version", "kinds"],
    [...byVersion].map(([apiVersion, names]) => [code(apiVersion), names.join(", ")]),
  );
}
