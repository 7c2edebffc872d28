/**
 * Format of backups: gzip of JSON lines. A header is followed by the entries in the order of their keys, each a line with the
 * length of the value, then the value and a newline; the last line has a checksum of everything before it. `zcat` shows it
 * as text.
 *
 *     {"fettle":"backup","format":1,"revision":712,"time":"2026-01-02T03:04:05.000Z","count":2}
 *     {"key":"/registry/demo.dev/sites/default/hello","bytes":212}
 *     {"apiVersion":"demo.dev/v1","kind":"Site", …
 *     {"end":true,"entries":2,"sha256":"…"}
 *
 * Another header before the end discards everything before it, also from the checksum. That happens when the store compacts
 * the revision while it is being read.
 */
export const backupFormat = 1;

export interface BackupHeader {
  readonly fettle: "backup";
  readonly format: number;
  /** Revision of the store at which all entries were read. */
  readonly revision: number;
  /** Time of the backup. */
  readonly time: string;
  /** Number of entries. */
  readonly count: number;
}

export interface EntryLine {
  readonly key: string;
  /** Length of the value. */
  readonly bytes: number;
  /** Time of expiry, in milliseconds since 1970. */
  readonly expires?: number | undefined;
}

export interface End {
  readonly end: true;
  readonly entries: number;
  /** Checksum of all bytes from the header on, before compression. */
  readonly sha256: string;
}

/** Maximum length of a line; keys have at most 2,048 bytes. */
export const maxLineLength = 64 * 1024;

/** A backup that cannot be restored. Nothing was changed. */
export class BackupDamaged extends Error {
  override readonly name = "BackupDamaged";
}
