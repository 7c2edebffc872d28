/** YAML as Kubernetes writes it: sorted keys, no folded lines, and YAML 1.1 booleans such as `yes` quoted. */
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
