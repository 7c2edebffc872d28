import { readFileSync } from "node:fs";
import * as kubernetes from "../../../src/client/kinds/kubernetes.js";
import { exportsOf, type Exported } from "./exports.js";
import { code, page, table } from "./markdown.js";

const about = `
All exports by import path. Most programs need \`fettle\` alone; each of the other paths has the complete API of one part. Editors show the full
doc comments, of which this page has the first sentence. Nothing else can be imported.
`;

/** What the paths are for; a new path needs a sentence here. */
const paths: Readonly<Record<string, string>> = {
  fettle: "Names that most programs need.",
  "fettle/model":
    "Objects, names, selectors, conditions, patches, apply, diffs, errors, schemas and time; no I/O.",
  "fettle/client":
    "The client, kubeconfigs, informers and pollers. [The client](../client.md) explains them.",
  "fettle/kubernetes": "Kubernetes' own kinds with their types, by their API version.",
  "fettle/runtime": "Controllers and all they are made of. [Controllers](../controllers.md) explains them.",
  "fettle/store": "The store's contract, and the stores there are. [Stores](../stores.md) explains them.",
  "fettle/store/conformance": "What examines a store of your own.",
  "fettle/server": "The API server alone. [The API server](../server.md) explains it.",
  "fettle/plane": "What puts it all together: control plane, operator, configuration, backup.",
  "fettle/testing": "What controllers are tested with, in any test runner.",
};

/** The paths of package.json with the source file behind each. */
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

/** What each path exports. */
export function apiPage(): string {
  return page(
    "What can be imported",
    about,
    subpaths().flatMap(({ path, file }) => {
      const purpose = paths[path];
      if (purpose === undefined)
        throw new Error(`test/docs/reference/api-page.ts does not say what ${path} is for`);
      const content = path === "fettle/kubernetes" ? kubernetesTable() : exportTable(exportsOf(file));
      return [`## ${path}`, purpose, content];
    }),
  );
}

function exportTable(exported: readonly Exported[]): string {
  const told = exported.filter(({ summary }) => summary !== "");
  const rest = exported.filter(({ summary }) => summary === "").map(({ name }) => code(name));
  const rows = told.map(({ name, what, summary }) => [code(name), what, summary]);
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
