import { z } from "zod";
import { duration } from "../../../model/core.js";

/**
 * Reads the options of a handler.
 *
 * @throws {Error} that names the handler and the option.
 */
export function readOptions<S extends z.ZodType>(handler: string, schema: S, options: unknown): z.output<S> {
  const result = schema.safeParse(options ?? {});
  if (result.success) return result.data;
  const issues = result.error.issues.map(({ path, message }) =>
    path.length === 0 ? message : `${path.map(String).join(".")}: ${message}`,
  );
  throw new Error(`the options of handler ${handler} are invalid: ${issues.join("; ")}`);
}

/** A duration, as milliseconds. */
export const durationOption = z.union([z.number(), z.string()]).transform((value, context) => {
  try {
    return duration(value);
  } catch (error) {
    context.addIssue((error as Error).message);
    return z.NEVER;
  }
});

const units: Readonly<Record<string, number>> = { "": 1, Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30 };

/** A size in bytes: a number, or text such as `64Ki`. */
export const sizeOption = z.union([z.number(), z.string()]).transform((value, context) => {
  const [, digits = "", unit = ""] = /^(\d+)(Ki|Mi|Gi)?$/.exec(String(value)) ?? [];
  const bytes = digits === "" ? 0 : Number(digits) * (units[unit] ?? 0);
  if (bytes > 0) return bytes;
  context.addIssue("use a number of bytes from 1, or text such as 64Ki or 10Mi");
  return z.NEVER;
});
