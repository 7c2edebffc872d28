/** Age after which runs are deleted. */
export const defaultMaxAge = "7d";
/** Total size of the files beyond which the oldest runs are deleted: room for about 250,000 runs. */
export const defaultMaxSize = "256Mi";

const units = new Map([
  ["", 1],
  ["Ki", 1024],
  ["Mi", 1024 ** 2],
  ["Gi", 1024 ** 3],
]);

/**
 * Bytes of a size as people write it.
 *
 * @example
 * byteSize("256Mi"); // 268435456
 */
export function byteSize(size: number | string): number {
  const [, digits, unit = ""] = /^(\d+)([KMG]i)?$/.exec(String(size)) ?? [];
  if (digits === undefined) {
    throw new SyntaxError(
      `${JSON.stringify(size)} is not a size: write bytes, or text such as "64Mi" (units: Ki, Mi, Gi)`,
    );
  }
  return Number(digits) * (units.get(unit) ?? 1);
}
