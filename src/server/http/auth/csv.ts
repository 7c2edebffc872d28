/** Record of a CSV file. */
export interface CsvRecord {
  /** Number of the first line, from 1. */
  readonly line: number;
  readonly fields: readonly string[];
}

/** Malformed CSV. The message has the line number but no content, which may be secret. */
export class CsvError extends Error {
  override readonly name = "CsvError";
}

/** Parses CSV like Go's `encoding/csv`: quoted fields, `""` for a quote inside, empty lines skipped. */
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
          if (quote < 0) throw new CsvError(`line ${start}: unclosed quote`);
          const piece = text.slice(at + 1, quote);
          line += piece.split("\n").length - 1;
          value += piece;
          at = quote + 1;
          if (text[at] !== '"') break;
          value += '"';
        }
        const after = text[at];
        if (after !== undefined && after !== "," && after !== "\n" && !text.startsWith("\r\n", at)) {
          throw new CsvError(`line ${line}: text after a closing quote; write a quote inside a field as ""`);
        }
        fields.push(value);
      } else {
        let end = at;
        while (end < text.length && text[end] !== "," && text[end] !== "\n") end++;
        const value = text.slice(at, text[end] === "\n" && text[end - 1] === "\r" ? end - 1 : end);
        if (value.includes('"')) {
          throw new CsvError(`line ${line}: quote inside an unquoted field; quote the whole field`);
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
