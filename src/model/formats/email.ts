import { isIpAddress } from "./ip-address.js";

/**
 * Format `email`: one address as Go's net/mail parses it, such as `a@b.c`, `Ann <a@b.c>` or `Ann: a@b.c;`,
 * with comments and quotes.
 */
export function isEmail(text: string): boolean {
  const reader = new AddressReader(text);
  const found = reader.readAddress(true);
  return found === 1 && reader.skipComments() && reader.isAtEnd;
}

const atom = /(?:[!#-'*+\--9=?A-Z^-~]|[^\0-\x7f])+/uy;
const quoted = /"(?:[\t !#-[\]-~]|[^\0-\x7f]|\\(?:[\t -~]|[^\0-\x7f]))*"/uy;
const domainLiteral = /\[([!-Z^-~]*)\]/y;
const spaces = /[ \t]*/y;

/** Parser for addresses. Every method returns whether it succeeded, and consumes nothing if not. */
class AddressReader {
  private at = 0;

  constructor(private readonly text: string) {}

  get isAtEnd(): boolean {
    return this.at >= this.text.length;
  }

  /** Number of addresses; undefined if it is not an address. */
  readAddress(mayBeGroup: boolean): number | undefined {
    this.skipSpaces();
    if (this.isAtEnd) return undefined;
    if (this.readPlainAddress()) {
      this.skipSpaces();
      return this.next !== "(" || this.readComment() ? 1 : undefined;
    }
    if (this.next !== "<" && !this.readPhrase()) return undefined;
    this.skipSpaces();
    if (mayBeGroup && this.readCharacter(":")) return this.readGroup();
    return this.readCharacter("<") && this.readPlainAddress() && this.readCharacter(">") ? 1 : undefined;
  }

  /** Skips spaces and comments in parentheses. */
  skipComments(): boolean {
    this.skipSpaces();
    while (this.next === "(") {
      if (!this.readComment()) return false;
      this.skipSpaces();
    }
    return true;
  }

  private get next(): string {
    return this.text.charAt(this.at);
  }

  private readGroup(): number | undefined {
    this.skipSpaces();
    for (let count = 0; !(count === 0 && this.next === ";");) {
      const found = this.readAddress(false);
      if (found === undefined || !this.skipComments()) return undefined;
      count += found;
      if (this.readCharacter(";")) return this.skipComments() ? count : undefined;
      if (!this.readCharacter(",")) return undefined;
    }
    // Empty group.
    return undefined;
  }

  private readPlainAddress(): boolean {
    const start = this.at;
    this.skipSpaces();
    if (this.readLocalPart() && this.readCharacter("@") && this.readDomain()) return true;
    this.at = start;
    return false;
  }

  private readLocalPart(): boolean {
    if (this.next !== '"') return this.readDottedAtom();
    return (this.read(quoted)?.[0] ?? '""') !== '""';
  }

  private readDomain(): boolean {
    this.skipSpaces();
    if (this.next !== "[") return this.readDottedAtom();
    const address = this.read(domainLiteral)?.[1];
    return address !== undefined && isIpAddress(address, "strict");
  }

  private readDottedAtom(): boolean {
    const name = this.read(atom)?.[0];
    return name !== undefined && !name.startsWith(".") && !name.endsWith(".") && !name.includes("..");
  }

  /** Reads a display name: words with comments between them. */
  private readPhrase(): boolean {
    let words = 0;
    for (;;) {
      if (words > 0 && !this.skipComments()) return false;
      this.skipSpaces();
      if (!this.read(this.next === '"' ? quoted : atom)) return words > 0;
      words++;
    }
  }

  private readComment(): boolean {
    let depth = 0;
    do {
      if (this.isAtEnd) return false;
      if (this.next === "\\" && this.at + 1 < this.text.length) this.at++;
      else if (this.next === "(") depth++;
      else if (this.next === ")") depth--;
      this.at++;
    } while (depth > 0);
    return true;
  }

  private skipSpaces(): void {
    this.read(spaces);
  }

  private readCharacter(character: string): boolean {
    if (this.next !== character) return false;
    this.at++;
    return true;
  }

  private read(expression: RegExp): RegExpExecArray | undefined {
    expression.lastIndex = this.at;
    const match = expression.exec(this.text) ?? undefined;
    if (match) this.at = expression.lastIndex;
    return match;
  }
}
