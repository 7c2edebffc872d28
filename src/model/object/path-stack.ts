import { childPath, type FieldPath } from "./field-path.js";

/** What Kubernetes calls the object itself in its messages. */
const root = "<nil>";

/**
 * Where a walk through an object is. Most walks find nothing to report, so the path is put together only when it is
 * asked for.
 */
export class PathStack {
  /** Where the walk began. It stands in front of the fields of errors, but not of what is said about them. */
  readonly base: FieldPath;
  private readonly steps: (string | number)[] = [];
  /** For each step whether it leads into an entry of a map, rather than a field or an item. */
  private readonly isKey: boolean[] = [];

  constructor(base: FieldPath = "") {
    this.base = base;
  }

  enterField(name: string): void {
    this.steps.push(name);
    this.isKey.push(false);
  }

  enterKey(key: string): void {
    this.steps.push(key);
    this.isKey.push(true);
  }

  enterItem(index: number): void {
    this.steps.push(index);
    this.isKey.push(false);
  }

  leave(): void {
    this.steps.pop();
    this.isKey.pop();
  }

  /** How many steps it is from where the walk began. */
  get depth(): number {
    return this.steps.length;
  }

  /** The path with entries of maps written like fields, `spec.labels.app`; empty at the root. */
  dotted(): FieldPath {
    return this.render(false);
  }

  /** The dotted path as the field of an error. */
  field(): FieldPath {
    return childPath(this.base, ...(this.steps.length === 0 ? [] : [this.render(false)])) || root;
  }

  /** The path with entries of maps in brackets, `spec.labels[app]`; empty at the root. */
  bracketed(): FieldPath {
    return this.render(true);
  }

  private render(brackets: boolean): FieldPath {
    let path = "";
    for (const [at, step] of this.steps.entries()) {
      if (typeof step === "number" || (brackets && this.isKey[at])) path += `[${step}]`;
      else path += path === "" ? step : `.${step}`;
    }
    return path;
  }
}

/** The field of an error that concerns the object as a whole. */
export const rootField: FieldPath = root;
