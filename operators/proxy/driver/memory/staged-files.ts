/** Files of a generation in memory, as they were staged and as somebody has changed them since. */
export class StagedFiles {
  readonly original: ReadonlyMap<string, string>;
  readonly digest: string;
  /** Files as they are now. */
  readonly files: Map<string, string>;

  constructor(files: ReadonlyMap<string, string>, digest: string) {
    this.original = new Map(files);
    this.files = new Map(files);
    this.digest = digest;
  }

  /** Changes or adds a file; deletes it without content. */
  edit(path: string, content: string | undefined): void {
    if (content === undefined) this.files.delete(path);
    else this.files.set(path, content);
  }

  /** Paths of files that were changed, deleted or added, in order. */
  edited(): string[] {
    const paths = new Set([...this.original.keys(), ...this.files.keys()]);
    return [...paths].filter((path) => this.original.get(path) !== this.files.get(path)).toSorted();
  }
}
