import { utf8Length } from "./utf8.js";

/**
 * Validates a name and returns one message per violation. With `prefix` the name is a `generateName`, to
 * which a suffix will be appended.
 *
 * The messages are those of Kubernetes 1.35 and later, which counts bytes where it used to count characters
 * in label keys and values.
 */
export type ValidateName = (name: string, prefix?: boolean) => string[];

interface Format {
  readonly message: string;
  readonly source: string;
  readonly regex: RegExp;
  readonly examples: readonly string[];
}

/** Every pattern below is unambiguous, so matching takes linear time. */
function format(message: string, source: string, examples: readonly string[]): Format {
  return { message, source, regex: new RegExp(`^${source}$`), examples };
}

const dns1123LabelSource = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const dns1123LabelFormat = format(
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
  dns1123LabelSource,
  ["my-name", "123-abc"],
);
const dns1123SubdomainFormat = format(
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
  `${dns1123LabelSource}(\\.${dns1123LabelSource})*`,
  ["example.com"],
);
const dns1035LabelFormat = format(
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
  "[a-z]([-a-z0-9]*[a-z0-9])?",
  ["my-name", "abc-123"],
);
const labelKeySource = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const labelKeyFormat = format(
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  labelKeySource,
  ["MyName", "my.name", "123-abc"],
);
const labelValueFormat = format(
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  `(${labelKeySource})?`,
  ["MyValue", "my_value", "12345"],
);

/** Message for a value that does not match a pattern. */
export function regexError(message: string, source: string, ...examples: readonly string[]): string {
  if (examples.length === 0) return `${message} (regex used for validation is '${source}')`;
  const quoted = examples.map((example) => `'${example}', `).join(" or ");
  return `${message} (e.g. ${quoted}regex used for validation is '${source}')`;
}

function formatError({ message, source, examples }: Format): string {
  return regexError(message, source, ...examples);
}

function isLongerThan(limit: number, text: string): boolean {
  return text.length > limit || (text.length * 3 > limit && utf8Length(text) > limit);
}

function check(text: string, limit: number, unit: "characters" | "bytes", form: Format): string[] {
  const faults: string[] = [];
  if (isLongerThan(limit, text)) faults.push(`must be no more than ${limit} ${unit}`);
  if (!form.regex.test(text)) faults.push(formatError(form));
  return faults;
}

/** Validates a DNS-1123 label, such as the name of a namespace. */
export function validateDns1123Label(text: string): string[] {
  const faults = check(text, 63, "characters", dns1123LabelFormat);
  const wrongForm = faults.length > 0 && !dns1123LabelFormat.regex.test(text);
  if (wrongForm && dns1123SubdomainFormat.regex.test(text)) {
    faults[faults.length - 1] = "must not contain dots";
  }
  return faults;
}

/** Validates a DNS-1123 subdomain, the form of most names. */
export function validateDns1123Subdomain(text: string): string[] {
  return check(text, 253, "characters", dns1123SubdomainFormat);
}

/** Validates a DNS-1035 label, such as the name of a service. */
export function validateDns1035Label(text: string): string[] {
  return check(text, 63, "characters", dns1035LabelFormat);
}

/**
 * Validates a qualified name: an optional DNS prefix with a slash, and a name. Label keys, annotation keys
 * and finalizers have this form.
 */
export function validateQualifiedName(text: string): string[] {
  if (validNames.has(text)) return [];
  const faults = qualifiedNameFaults(text);
  if (faults.length === 0) {
    if (validNames.size === maxCachedNames) validNames.clear();
    validNames.add(text);
  }
  return faults;
}

/**
 * Cache of valid names: there are few different label keys, and every object repeats them. Saves about 2.5 µs
 * per key.
 */
const validNames = new Set<string>();
const maxCachedNames = 1000;

function qualifiedNameFaults(text: string): string[] {
  const faults: string[] = [];
  let name = text;
  const slash = text.indexOf("/");
  if (slash >= 0) {
    const prefix = text.slice(0, slash);
    name = text.slice(slash + 1);
    if (name.includes("/")) {
      return [
        `a valid label key ${formatError(labelKeyFormat)} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
      ];
    }
    if (prefix === "") faults.push("prefix part must be non-empty");
    else {
      for (const fault of check(prefix, 253, "bytes", dns1123SubdomainFormat)) {
        faults.push(`prefix part ${fault}`);
      }
    }
  }
  if (name === "") faults.push("name part must be non-empty");
  for (const fault of check(name, 63, "bytes", labelKeyFormat)) faults.push(`name part ${fault}`);
  return faults;
}

/** Validates the value of a label, which may be empty. */
export function validateLabelValue(text: string): string[] {
  return check(text, 63, "bytes", labelValueFormat);
}

/** Validates a name that only needs to fit into a URL path, such as that of a role. */
export const validatePathSegmentName: ValidateName = (name, prefix = false) => {
  if (!prefix && (name === "." || name === "..")) return [`may not be '${name}'`];
  return ["/", "%"].filter((part) => name.includes(part)).map((part) => `may not contain '${part}'`);
};

/** Validator for names that are DNS-1123 subdomains, as for custom resources. */
export const nameIsDns1123Subdomain: ValidateName = (name, prefix = false) =>
  validateDns1123Subdomain(prefix ? maskTrailingDash(name) : name);

/** Validator for names that are DNS-1123 labels, as for namespaces. */
export const nameIsDns1123Label: ValidateName = (name, prefix = false) =>
  validateDns1123Label(prefix ? maskTrailingDash(name) : name);

/** Validator for names that are DNS-1035 labels, as for services. */
export const nameIsDns1035Label: ValidateName = (name, prefix = false) =>
  validateDns1035Label(prefix ? maskTrailingDash(name) : name);

/**
 * Allows a dash at the end of a `generateName`. Like Kubernetes, it replaces the last two characters by one,
 * so the character before the dash is not checked and one more character is allowed.
 */
export function maskTrailingDash(name: string): string {
  return name.length > 1 && name.endsWith("-") ? `${name.slice(0, -2)}a` : name;
}
