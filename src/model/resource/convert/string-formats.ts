import { regexes, type $ZodCheckStringFormatDef } from "zod/v4/core";

import { patternProblem } from "./portable-pattern.js";
import type { ReportProblem } from "./problems.js";

/** Converted form of a zod format. */
interface Format {
  readonly format?: string;
  readonly pattern?: string;
}

/** Options of zod's string formats. */
interface FormatOptions {
  readonly format: string;
  readonly hostname?: RegExp;
  readonly protocol?: RegExp;
  readonly normalize?: boolean;
  readonly local?: boolean;
  readonly precision?: number | null;
  readonly version?: string;
}

/**
 * ISO 8601, such as P1DT12H. Kubernetes' format `duration` is Go's ("36h"), so this is a pattern. Zod's uses
 * a lookahead to require at least one part; this one enumerates what can come first.
 */
const isoTime = "T(?:\\d+H(?:\\d+M)?(?:\\d+(?:[.,]\\d+)?S)?|\\d+M(?:\\d+(?:[.,]\\d+)?S)?|\\d+(?:[.,]\\d+)?S)";
const isoDuration = `^P(?:\\d+W|(?:\\d+Y(?:\\d+M)?(?:\\d+D)?|\\d+M(?:\\d+D)?|\\d+D)(?:${isoTime})?|${isoTime})$`;

/**
 * Formats that zod and Kubernetes share. Kubernetes' check replaces zod's pattern, which is often long: an
 * error then says "must be of type ipv4" instead of two lines of regular expression. Kubernetes is slightly
 * more lenient in places (an e-mail with a display name, a UUID without dashes).
 *
 * Kubernetes ignores unknown formats with a warning, so all others become patterns.
 */
const sharedFormats: Readonly<Record<string, Format>> = {
  email: { format: "email" },
  guid: { format: "uuid" },
  date: { format: "date" },
  duration: { pattern: isoDuration },
  ipv4: { format: "ipv4" },
  ipv6: { format: "ipv6" },
  cidrv4: { format: "cidr", pattern: "^[0-9.]+/" },
  cidrv6: { format: "cidr", pattern: ":" },
  base64: { format: "byte" },
  base64url: { pattern: regexes.base64url.source },
  hostname: { format: "hostname" },
  credit_card: { format: "creditcard" },
};

/** Formats that zod checks with code instead of a pattern. */
const codeOnly = new Set(["jwt", "iban", "json_string"]);

/** Converts a string format or check; undefined if it is unsupported. */
export function convertStringFormat(
  def: $ZodCheckStringFormatDef,
  path: string,
  report: ReportProblem,
): Format | undefined {
  const { format, pattern } = def;
  const options: FormatOptions = def;
  if (format === "url") return convertUrl(options, path, report);
  if (format === "datetime") return convertDateTime(options, pattern);
  if (format === "uuid" && !options.version) return { format: "uuid" };

  const shared = Object.hasOwn(sharedFormats, format) ? sharedFormats[format] : undefined;
  // z.email({ pattern }) differs from the standard format.
  const isOwnPattern = format === "email" && pattern !== regexes.email;
  if (shared && !isOwnPattern) return shared;

  if (!pattern || codeOnly.has(format)) {
    report(
      path,
      `the string format "${format}" is checked by code that cannot run in the API server`,
      "use z.string().regex(…), or a plain z.string() and check it in reconcile",
    );
    return undefined;
  }
  const problem = patternProblem(pattern);
  if (problem) {
    report(path, problem, "write the pattern without it, or use rule(schema, cel, message)");
    return undefined;
  }
  const formatPart = format === "mac" || format === "uuid" || format === "email" ? { format } : {};
  return { ...formatPart, pattern: pattern.source };
}

function convertUrl(def: FormatOptions, path: string, report: ReportProblem): Format | undefined {
  // z.httpUrl() also requires a domain as host, which this pattern omits.
  const isHttp = def.protocol === regexes.httpProtocol && (!def.hostname || def.hostname === regexes.domain);
  if (isHttp && !def.normalize) return { format: "uri", pattern: "^https?://" };
  if (def.protocol || def.hostname || def.normalize) {
    report(
      path,
      "z.url() with protocol, hostname or normalize is not supported in a Kubernetes schema",
      "use z.httpUrl(), or z.url().regex(/^https:\\/\\/…/)",
    );
    return undefined;
  }
  return { format: "uri" };
}

function convertDateTime({ local, precision }: FormatOptions, pattern: RegExp | undefined): Format {
  // Without zone or seconds it is not RFC 3339, which Kubernetes' format requires.
  const isRfc3339 = !local && precision !== -1;
  return isRfc3339 || !pattern ? { format: "date-time" } : { pattern: pattern.source };
}
