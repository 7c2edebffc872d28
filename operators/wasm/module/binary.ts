/** Reader of the binary format of WebAssembly, as far as imports, memories and exports need it. */
export class BinaryReader {
  constructor(
    readonly bytes: Uint8Array,
    public offset = 0,
    readonly end = bytes.length,
  ) {}

  get isAtEnd(): boolean {
    return this.offset >= this.end;
  }

  byte(): number {
    const value = this.offset < this.end ? this.bytes[this.offset] : undefined;
    if (value === undefined) throw new MalformedModule(`it ends at byte ${this.end}, inside of a value`);
    this.offset++;
    return value;
  }

  /** Unsigned LEB128 of at most 32 bits. */
  u32(): number {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.byte();
      value += (byte & 0x7f) * 2 ** shift;
      if ((byte & 0x80) === 0) return value;
    }
    throw new MalformedModule(`a number at byte ${this.offset} is too long`);
  }

  name(): string {
    const length = this.u32();
    return new TextDecoder().decode(this.take(length));
  }

  take(length: number): Uint8Array {
    if (length > this.end - this.offset) {
      throw new MalformedModule(
        `${length} bytes at byte ${this.offset} are announced, but ${this.end - this.offset} are left`,
      );
    }
    this.offset += length;
    return this.bytes.subarray(this.offset - length, this.offset);
  }

  /** Skips a type of a value; references to types have an index. */
  valueType(): void {
    const type = this.byte();
    if (type === 0x63 || type === 0x64) this.u32();
  }

  limits(): MemoryLimits {
    const flags = this.byte();
    if ((flags & ~0b111) !== 0)
      throw new MalformedModule(`unknown flags of limits at byte ${this.offset - 1}`);
    const minimum = this.u32();
    return {
      minimum,
      maximum: (flags & 1) === 0 ? undefined : this.u32(),
      isShared: (flags & 2) !== 0,
      is64: (flags & 4) !== 0,
    };
  }
}

/** Limits of a memory in pages of 64 KiB, or of a table in elements. */
export interface MemoryLimits {
  readonly minimum: number;
  readonly maximum: number | undefined;
  readonly isShared: boolean;
  readonly is64: boolean;
}

/** A section with the offsets of its whole and of its content. */
export interface Section {
  readonly id: number;
  readonly start: number;
  readonly contentStart: number;
  readonly end: number;
}

export const sectionIds = { type: 1, import: 2, table: 4, memory: 5, export: 7, element: 9 };

/** Sections in their order. */
export function* sections(bytes: Uint8Array): Generator<Section> {
  const reader = new BinaryReader(bytes, 8);
  while (!reader.isAtEnd) {
    const start = reader.offset;
    const id = reader.byte();
    const length = reader.u32();
    const contentStart = reader.offset;
    reader.take(length);
    yield { id, start, contentStart, end: reader.offset };
  }
}

export function encodeU32(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  do {
    const low = rest % 128;
    rest = Math.floor(rest / 128);
    bytes.push(rest > 0 ? low | 0x80 : low);
  } while (rest > 0);
  return bytes;
}

/** Bytes that are not a core module. */
export class MalformedModule extends Error {
  override readonly name = "MalformedModule";
}
