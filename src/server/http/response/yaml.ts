/** YAML as Kubernetes writes it: keys in order, nothing folded, and quotes where an old parser would see a boolean. */
export async function toYaml(value: unknown): Promise<string> {
  const { stringify } = await import("yaml");
  return stringify(value, {
    version: "1.1",
    sortMapEntries: true,
    aliasDuplicateObjects: false,
    lineWidth: 0,
    indentSeq: false,
  });
}
