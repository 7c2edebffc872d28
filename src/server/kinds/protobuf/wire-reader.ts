import { isUtf8 } from "node:buffer";

/** Malformed protobuf. */
export class WireError extends Error {
  override readonly name = "WireError";
}

/** More fields than the limit. */
export class WireLimitError extends Error {
  override readonly name = "WireLimitError";
}

/** Wire type of a value; part of every tag. */
export const wireTypes = { varint: 0, fixed64: 1, bytes: 2, startGroup: 3, endGroup: 4, fixed32: 5 } as const;

const deepestGroup = 100;

/**
 * Reads protobuf from a buffer, front to back. Invariant: `position <= end <= bytes.length`; nothing beyond `end`, which
 * {@link WireReader.enter} moves to the end of a nested message, is ever read.
 */
export class WireReader {
  readonly #bytes: Buffer;
  #position = 0;
  #end: number;
  #tagsLeft: number;

  constructor(bytes: Uint8Array, maxTags = Infinity) {
    this.#tagsLeft = maxTags;
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#end = bytes.byteLength;
  }

  get position(): number {
    return this.#position;
  }

  get done(): boolean {
    return this.#position === this.#end;
  }

  /** Number and wire type of the next field. */
  tag(): { readonly field: number; readonly wire: number } {
    if (this.#tagsLeft-- === 0) throw new WireLimitError("the body has too many fields and list items");
    const value = this.varint();
    const wire = value & 7;
    const field = Math.floor(value / 8);
    if (field < 1 || field > 2 ** 29 - 1) throw new WireError(`illegal field number ${field}`);
    return { field, wire };
  }

  /** Unsigned integer of up to 64 bits; inexact above 2^53. */
  varint(): number {
    const { low, high } = this.#varint();
    return high * 2 ** 32 + low;
  }

  /** Signed integer of 32 bits; truncated like in Go. */
  int32(): number {
    return this.#varint().low | 0;
  }

  /** Signed integer of 64 bits; inexact beyond 2^53, as in JSON. */
  int64(): number {
    const { low, high } = this.#varint();
    return (high | 0) * 2 ** 32 + low;
  }

  bool(): boolean {
    const { low, high } = this.#varint();
    return low !== 0 || high !== 0;
  }

  double(): number {
    this.#need(8);
    const value = this.#bytes.readDoubleLE(this.#position);
    this.#position += 8;
    if (!Number.isFinite(value)) throw new WireError(`${value} cannot be written as JSON`);
    return value;
  }

  /** The bytes of a value with a length; they are not copied. */
  bytes(): Buffer {
    const length = this.varint();
    this.#need(length);
    const start = this.#position;
    this.#position += length;
    return this.#bytes.subarray(start, this.#position);
  }

  text(): string {
    const bytes = this.bytes();
    if (!isUtf8(bytes)) throw new WireError("text that is not valid UTF-8");
    return bytes.toString();
  }

  /** Confines reading to a nested message; returns what {@link WireReader.leave} needs to go on after it. */
  enter(): number {
    const length = this.varint();
    this.#need(length);
    const outer = this.#end;
    this.#end = this.#position + length;
    return outer;
  }

  leave(outer: number): void {
    this.#position = this.#end;
    this.#end = outer;
  }

  /** Skips a value. */
  skip(wire: number, field: number, depth = 0): void {
    switch (wire) {
      case wireTypes.varint:
        this.#varint();
        return;
      case wireTypes.fixed64:
        this.#advance(8);
        return;
      case wireTypes.bytes:
        this.#advance(this.varint());
        return;
      case wireTypes.fixed32:
        this.#advance(4);
        return;
      case wireTypes.startGroup:
        if (depth > deepestGroup) throw new WireError("groups are nested too deeply");
        for (;;) {
          const inner = this.tag();
          if (inner.wire === wireTypes.endGroup) {
            if (inner.field !== field) throw new WireError("a group ends that was not begun");
            return;
          }
          this.skip(inner.wire, inner.field, depth + 1);
        }
      default:
        throw new WireError(
          wire === wireTypes.endGroup ? "unexpected end of group" : `illegal wireType ${wire}`,
        );
    }
  }

  #advance(length: number): void {
    this.#need(length);
    this.#position += length;
  }

  #need(length: number): void {
    if (length > this.#end - this.#position) throw new WireError("unexpected EOF");
  }

  #varint(): { low: number; high: number } {
    let low = 0;
    let high = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      if (this.#position >= this.#end) throw new WireError("unexpected EOF");
      const byte = this.#bytes[this.#position++] ?? 0;
      const bits = byte & 0x7f;
      if (shift < 28) low |= bits << shift;
      else if (shift === 28) {
        low |= bits << 28;
        high |= bits >> 4;
      } else high |= bits << (shift - 32);
      if (byte < 0x80) return { low: low >>> 0, high: high >>> 0 };
    }
    throw new WireError("integer overflow");
  }
}
