/** Bounds as in Kubernetes: past the first, all texts are cut to the second. */
const longestTotal = 4096;
const longestItem = 256;

const control = /\p{Cc}/gu;
const beyondLatin1 = /[^\u0020-\u00ff]/u;

/** What the client is warned of, each text once. */
export class Warnings {
  readonly #texts = new Set<string>();

  add(text: string): void {
    // Past this many nothing more would fit into the headers.
    if (text !== "" && this.#texts.size < longestTotal) this.#texts.add(text);
  }

  /** The values of the `Warning` headers: as many as fit. */
  get headers(): readonly string[] {
    const texts = [...this.#texts].map((text) => text.replaceAll(control, " "));
    const total = texts.reduce((sum, text) => sum + text.length, 0);
    const headers: string[] = [];
    let written = 0;
    for (const text of texts) {
      if (written >= longestTotal) break;
      const shown = total > longestTotal ? Array.from(text).slice(0, longestItem).join("") : text;
      written += shown.length;
      headers.push(warningHeader(shown));
    }
    return headers;
  }
}

/** `299 - "the text"`: quoted as HTTP quotes. */
function warningHeader(text: string): string {
  const header = `299 - "${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
  // Header values are bytes; Node takes one character for each of them.
  return beyondLatin1.test(header) || /[\u0080-\u00ff]/u.test(header)
    ? Buffer.from(header).toString("latin1")
    : header;
}
