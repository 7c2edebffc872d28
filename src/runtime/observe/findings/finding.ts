/** Something about how controllers behave that somebody should look into. */
export interface Finding {
  readonly type: "hot-loop" | "fight";
  readonly controller: string;
  /** The object that it is about: `Page default/hello-1`. */
  readonly object: string;
  /** The whole of it, for people. */
  readonly message: string;
  /** How often it happened within the time it was seen in. */
  readonly count: number;
  /** When it began, and when it was last seen, in milliseconds since 1970. */
  readonly since: number;
  readonly at: number;
  /** In a fight, which fields are fought over. */
  readonly paths?: readonly string[] | undefined;
  /** In a fight, who sets the field, ourselves last. */
  readonly managers?: readonly string[] | undefined;
  /** In a hot loop, what keeps it going, most frequent first. */
  readonly causes?: readonly string[] | undefined;
}

/** How many findings are kept. */
const most = 200;
/** How long a finding is kept after it was last seen, in milliseconds. */
const keptFor = 3_600_000;
/** How long nothing more is said about the same, in milliseconds. */
const quietFor = 600_000;

/** What has been found lately, once for each thing. */
export class Findings {
  readonly #all = new Map<string, { finding: Finding; readonly told: number }>();

  /** Takes note of a finding; true when people should be told, which is not each time that the same is found again. */
  add(finding: Finding): boolean {
    const id = JSON.stringify([finding.type, finding.controller, finding.object, finding.managers]);
    const before = this.#all.get(id);
    const isNews = before === undefined || finding.at - before.told >= quietFor;
    // What is seen again moves to the end: the one that is dropped is the one not seen for longest.
    this.#all.delete(id);
    this.#all.set(id, { finding, told: isNews ? finding.at : before.told });
    if (this.#all.size > most) this.#all.delete(this.#all.keys().next().value ?? "");
    return isNews;
  }

  /** Those that were seen within the last hour, the last one first. */
  list(now: number): readonly Finding[] {
    for (const [id, { finding }] of this.#all) if (now - finding.at > keptFor) this.#all.delete(id);
    return [...this.#all.values()].map(({ finding }) => finding).toReversed();
  }
}
