/** A line of a CSV file. */
export interface CsvRecord {
  /** Counted from 1, where the record begins. */
  readonly line: number;
  readonly fields: readonly string[];
}

/** A CSV file that is none. The message names the line and quotes nothing of it. */
export class CsvError extends Error {
  override readonly name = "CsvError";
}

/** Reads CSV as Go's reader does: quotes around fields, two for one inside, empty lines passed over. */
export function parseCsv(text: string): CsvRecord[] {
  const records: CsvRecord[] = [];
  let at = text.startsWith("\uFEFF") ? 1 : 0;
  let line = 1;
  while (at < text.length) {
    const start = line;
    const fields: string[] = [];
    for (;;) {
      if (text[at] === '"') {
        let value = "";
        for (;;) {
          const quote = text.indexOf('"', at + 1);
          if (quote < 0) throw new CsvError(`line ${start}: a quote is opened and never closed`);
          const piece = text.slice(at + 1, quote);
          line += piece.split("\n").length - 1;
          value += piece;
          at = quote + 1;
          if (text[at] !== '"') break;
          value += '"';
        }
        const after = text[at];
        if (after !== undefined && after !== "," && after !== "\n" && !text.startsWith("\r\n", at)) {
          throw new CsvError(`line ${line}: something follows a closing quote; a quote inside is written ""`);
        }
        fields.push(value);
      } else {
        let end = at;
        while (end < text.length && text[end] !== "," && text[end] !== "\n") end++;
        const value = text.slice(at, text[end] === "\n" && text[end - 1] === "\r" ? end - 1 : end);
        if (value.includes('"')) {
          throw new CsvError(`line ${line}: a quote in the middle of a field; put the whole field in quotes`);
        }
        fields.push(value);
        at = end;
      }
      if (text[at] === ",") {
        at++;
        continue;
      }
      if (text.startsWith("\r\n", at)) at++;
      at++;
      line++;
      break;
    }
    if (fields.length > 1 || fields[0] !== "") records.push({ line: start, fields });
  }
  return records;
}
