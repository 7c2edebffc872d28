/** What has to be ended, in the reverse order of its beginning. Everything is, whatever fails; the first failure is thrown. */
export class Endings {
  readonly #endings: (() => Promise<void>)[] = [];
  #ended: Promise<void> | undefined;

  add(end: () => Promise<void>): void {
    this.#endings.push(end);
  }

  end(): Promise<void> {
    this.#ended ??= this.#endAll();
    return this.#ended;
  }

  async #endAll(): Promise<void> {
    const failures: unknown[] = [];
    for (const end of this.#endings.toReversed()) {
      try {
        await end();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}
