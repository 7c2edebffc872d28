import type { KubeObject } from "fettle";

/** Priority from which a change is not collected with others. */
const critical = 100;

/** Classes with changes that must be applied at once: those of objects with the annotation `fettle.dev/priority: critical`. */
export class UrgentClasses {
  readonly #classes = new Set<string>();

  note(className: string, { metadata }: KubeObject): void {
    const priority = metadata.annotations?.["fettle.dev/priority"];
    if (priority === "critical" || Number(priority) >= critical) this.#classes.add(className);
  }

  has(className: string): boolean {
    return this.#classes.has(className);
  }

  clear(className: string): void {
    this.#classes.delete(className);
  }
}
