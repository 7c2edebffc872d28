import { themes } from "../../kubernetes/differences.js";

const head = `# Differences from Kubernetes

Made from the code: a test sends the same requests to Fettle and to a kube-apiserver 1.34, and compares their answers.
What is not told here was the same, to the letter, but for what has to differ between any two servers: ids, versions, times.
[The API server](../server.md) says what is not there at all.
`;

/** Where Fettle answers otherwise than Kubernetes, and why. */
export function differencesPage(): string {
  const sections = themes.map(({ title, kept }) => {
    return `## ${title}\n\n${kept.map(({ why }) => `- ${why}`).join("\n")}\n`;
  });
  return [head, ...sections].join("\n");
}
