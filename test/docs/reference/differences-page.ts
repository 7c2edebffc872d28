import { themes } from "../../kubernetes/differences.js";

const head = `# Differences from Kubernetes

Generated from a test that sends the same requests to Fettle and to kube-apiserver 1.34 and compares the responses.
All other responses were identical, except for values that differ between any two servers: ids, versions, times.
[The API server](../server.md) lists what is not implemented.
`;

/** Documentation of all differences from Kubernetes that are on purpose. */
export function differencesPage(): string {
  const sections = themes.map(({ title, differences }) => {
    return `## ${title}\n\n${differences.map(({ why }) => `- ${why}`).join("\n")}\n`;
  });
  return [head, ...sections].join("\n");
}
