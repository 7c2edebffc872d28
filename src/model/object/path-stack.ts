import { childPath, type FieldPath } from "./field-path.js";

/** Kubernetes' name for the object itself in messages. */
const root = "<nil>";

/** Position of a walk through an object. Most walks report nothing, so the path is rendered on demand. */
export class PathStack {
  /** Path of the root of the walk. It prefixes the fields of errors, but not their messages. */
  readonly base: FieldPath;
  private readonly steps: (string | number)[] = [];
  /** Marks the steps that enter an entry of a map. */
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

  /** Number of steps from the root of the walk. */
  get depth(): number {
    return this.steps.length;
  }

  /** Renders the path with map entries like fields, `spec.labels.app`; empty at the root. */
  dotted(): FieldPath {
    return this.render(false);
  }

  /** Renders the dotted path as the field of an error. */
  field(): FieldPath {
    return childPath(this.base, ...(this.steps.length === 0 ? [] : [this.render(false)])) || root;
  }

  /** Renders the path with map entries in brackets, `spec.labels[app]`; empty at the root. */
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

/** Field of errors about the object as a whole. */
export const rootField: FieldPath = root;
