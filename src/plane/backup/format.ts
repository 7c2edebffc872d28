/**
 * A backup is gzip around lines of JSON. It begins with a header; then come the entries in the order of their keys, each a
 * line that is followed by as many bytes as it says and a newline; at the end stands a line with a checksum over all that
 * comes before it. With `zcat` it can be read by people, too.
 *
 *     {"fettle":"backup","format":1,"revision":712,"time":"2026-01-02T03:04:05.000Z","count":2}
 *     {"key":"/registry/demo.dev/sites/default/hello","bytes":212}
 *     {"apiVersion":"demo.dev/v1","kind":"Site", …
 *     {"end":true,"entries":2,"sha256":"…"}
 *
 * A further header before the end begins anew: what came before it does not count, and is not part of the checksum. That
 * happens when the store forgets the revision while it is being read.
 */
export const backupFormat = 1;

export interface Header {
  readonly fettle: "backup";
  readonly format: number;
  /** The revision that all entries are of. */
  readonly revision: number;
  /** When it was made. */
  readonly time: string;
  /** How many entries follow. */
  readonly count: number;
}

export interface EntryLine {
  readonly key: string;
  /** The length of the value, which follows. */
  readonly bytes: number;
  /** When the entry goes by itself, in milliseconds since 1970. */
  readonly expires?: number | undefined;
}

export interface End {
  readonly end: true;
  readonly entries: number;
  /** Of all bytes from the header on, before compression. */
  readonly sha256: string;
}

/** No line is longer: keys have at most 2,048 bytes. */
export const longestLine = 64 * 1024;

/** A backup that cannot be restored, with the way out. Nothing was changed. */
export class BackupDamaged extends Error {
  override readonly name = "BackupDamaged";
}
