/** Counts responses by family, verb, code and reason. */
export class Coverage {
  readonly #counts = new Map<string, number>();

  add(family: string, verb: string, code: number, reason: string): void {
    const name = `${family} ${verb} ${code}${reason === "" ? "" : ` ${reason}`}`;
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }

  /** True if there was a response of a class; `*` stands for any family or verb. */
  has(name: string): boolean {
    const pattern = new RegExp(`^${name.replaceAll("*", "\\S+")}$`);
    return [...this.#counts.keys()].some((each) => pattern.test(each));
  }

  get size(): number {
    return this.#counts.size;
  }

  /** Table with a line for each family and verb. */
  table(): string {
    const rows = new Map<string, string[]>();
    for (const [name, count] of [...this.#counts].sort(([one], [other]) => (one < other ? -1 : 1))) {
      const [family = "", verb = "", ...answer] = name.split(" ");
      const row = `${family} ${verb}`;
      rows.set(row, [...(rows.get(row) ?? []), `${answer.join(" ")} ×${count}`]);
    }
    const width = Math.max(0, ...[...rows.keys()].map((row) => row.length));
    return [...rows].map(([row, answers]) => `  ${row.padEnd(width)}  ${answers.join(", ")}`).join("\n");
  }
}

/** Reason of a failure, also of one in a line of a stream. */
export function reasonOf(code: number, body: Buffer): string {
  if (code < 400)
    return /^\{(?:"type":"ERROR"|"kind":"Status").*"reason":"(\w+)"/m.exec(body.toString())?.[1] ?? "";
  return /"reason":\s*"(\w+)"/.exec(body.toString())?.[1] ?? "";
}
