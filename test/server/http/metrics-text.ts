interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Parsed metrics. */
export interface Metrics {
  readonly samples: readonly Sample[];
  /** Value of the sample with exactly these labels; undefined when there is none. */
  value(name: string, labels: Readonly<Record<string, string>>): number | undefined;
}

const comment = /^# (?:HELP|TYPE) ([a-zA-Z_:][\w:]*) (.+)$/;
const sampleLine = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (-?[0-9.e+-]+|[+-]Inf|NaN|Nan)(?: \d+)?$/;
const label = /([a-zA-Z_]\w*)="((?:[^"\\\n]|\\[\\n"])*)"(?:,|$)/y;

/** Parses Prometheus' text format strictly: every line must be valid and unique. */
export function parseMetrics(text: string): Metrics {
  if (!text.endsWith("\n")) throw new Error("the last line has no newline");
  const samples = new Map<string, Sample>();
  const types = new Map<string, string>();
  for (const line of text.split("\n")) {
    if (line === "") continue;
    if (line.startsWith("#")) {
      const [, name = "", rest = ""] = comment.exec(line) ?? fail(line);
      if (!line.startsWith("# TYPE")) continue;
      if (types.has(name)) fail(line);
      types.set(name, rest);
      continue;
    }
    const [, name = "", inside = "", value = ""] = sampleLine.exec(line) ?? fail(line);
    if (!types.has(name) && !types.has(name.replace(/_(?:bucket|sum|count)$/, ""))) fail(line);
    const labels = parseLabels(inside, line);
    const key = keyOf(name, labels);
    if (samples.has(key)) fail(line);
    samples.set(key, { name, labels, value: Number(value.replace("Inf", "Infinity")) });
  }
  return {
    samples: [...samples.values()],
    value: (name, labels) => samples.get(keyOf(name, labels))?.value,
  };
}

function parseLabels(text: string, line: string): Record<string, string> {
  const labels: Record<string, string> = {};
  label.lastIndex = 0;
  while (label.lastIndex < text.length) {
    const [, name = "", value = ""] = label.exec(text) ?? fail(line);
    labels[name] = value;
  }
  return labels;
}

function keyOf(name: string, labels: Readonly<Record<string, string>>): string {
  return JSON.stringify([name, ...Object.entries(labels).map(String).sort()]);
}

function fail(line: string): never {
  throw new Error(`not a line of metrics: ${line}`);
}
