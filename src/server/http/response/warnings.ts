/** Limits of Kubernetes in characters: if the sum exceeds the first, each text is cut to the second. */
const maxTotal = 4096;
const maxItem = 256;

const control = /\p{Cc}/gu;
const beyondLatin1 = /[^\u0020-\u00ff]/u;

/** Distinct warnings of a response. */
export class Warnings {
  readonly #texts = new Set<string>();

  add(text: string): void {
    // More texts than characters cannot fit.
    if (text !== "" && this.#texts.size < maxTotal) this.#texts.add(text);
  }

  /** Values of the `Warning` headers, as many as fit. */
  get headers(): readonly string[] {
    const texts = [...this.#texts].map((text) => text.replaceAll(control, " "));
    const total = texts.reduce((sum, text) => sum + text.length, 0);
    const headers: string[] = [];
    let written = 0;
    for (const text of texts) {
      if (written >= maxTotal) break;
      const cut = total > maxTotal ? Array.from(text).slice(0, maxItem).join("") : text;
      written += cut.length;
      headers.push(warningHeader(cut));
    }
    return headers;
  }
}

/** `299 - "the text"` with the text as an HTTP quoted-string. */
function warningHeader(text: string): string {
  const header = `299 - "${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
  // Header values are bytes, and Node takes one character per byte.
  return beyondLatin1.test(header) || /[\u0080-\u00ff]/u.test(header)
    ? Buffer.from(header).toString("latin1")
    : header;
}
