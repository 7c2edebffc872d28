import {
  maskTrailingDash,
  validateDns1035Label,
  validateDns1123Label,
  validateDns1123Subdomain,
  validateLabelValue,
  validateQualifiedName,
} from "../../object/names.js";
import { formatCheck } from "../../formats/formats.js";
import { CelList } from "../values/list.js";
import { noValue, type OpaqueValue, CelOptional } from "../values/value.js";
import { overload, type Overload } from "./function.js";
import { urlFault } from "./urls.js";

/** Named string format. */
export class NamedFormat implements OpaqueValue {
  readonly typeName = "kubernetes.NamedFormat";

  constructor(
    readonly name: string,
    /** Returns the violations of a string. */
    readonly faults: (text: string) => readonly string[],
    /** Length of an equivalent pattern, for cost computation. */
    readonly patternSize: number,
  ) {}

  equals(other: OpaqueValue): boolean {
    return other instanceof NamedFormat && other.name === this.name;
  }
}

function checked(format: string, fault: string): (text: string) => readonly string[] {
  return (text) => (formatCheck(format)?.(text) === false ? [fault] : []);
}

const prefix = (validate: (text: string) => string[]) => (text: string) => validate(maskTrailingDash(text));

const formats: ReadonlyMap<string, NamedFormat> = new Map([
  ["dns1123Label", new NamedFormat("DNS1123Label", validateDns1123Label, 30)],
  ["dns1123Subdomain", new NamedFormat("DNS1123Subdomain", validateDns1123Subdomain, 60)],
  ["dns1035Label", new NamedFormat("DNS1035Label", validateDns1035Label, 30)],
  ["qualifiedName", new NamedFormat("QualifiedName", validateQualifiedName, 60)],
  ["dns1123LabelPrefix", new NamedFormat("DNS1123LabelPrefix", prefix(validateDns1123Label), 30)],
  ["dns1123SubdomainPrefix", new NamedFormat("DNS1123SubdomainPrefix", prefix(validateDns1123Subdomain), 60)],
  ["dns1035LabelPrefix", new NamedFormat("DNS1035LabelPrefix", prefix(validateDns1035Label), 30)],
  ["labelValue", new NamedFormat("LabelValue", validateLabelValue, 40)],
  [
    "uri",
    new NamedFormat(
      "URI",
      (text) => {
        const fault = urlFault(text);
        return fault === undefined ? [] : [fault];
      },
      1103,
    ),
  ],
  ["uuid", new NamedFormat("uuid", checked("uuid", "does not match the UUID format"), 70)],
  ["byte", new NamedFormat("byte", checked("byte", "invalid base64"), 84)],
  ["date", new NamedFormat("date", checked("date", "invalid date"), 71)],
  ["datetime", new NamedFormat("datetime", checked("datetime", "invalid datetime"), 71)],
]);

/** Kubernetes' named formats: `!format.dns1123Label().validate(self).hasValue()`. */
export const formatFunctions: readonly Overload[] = [
  ...Array.from(formats, ([name, format]) =>
    overload(`format.${name}`, `format.${name}`, "(): format", () => format),
  ),
  overload("format.named", "format-named", "(string): optional(format)", (name: string) => {
    const format = formats.get(name);
    return format ? new CelOptional(format) : noValue;
  }),
  overload(
    "validate",
    "format-validate",
    "format.(string): optional(list(string))",
    (format: NamedFormat, text: string) => {
      const faults = format.faults(text);
      return faults.length === 0 ? noValue : new CelOptional(new CelList(faults));
    },
  ),
];
