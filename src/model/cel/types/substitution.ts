import { dyn, isDynamic, isSameType, type CelType } from "./type.js";

/** Bindings of type parameters; failed attempts are rolled back. */
export class Substitution {
  private readonly bindings = new Map<string, CelType>();
  private readonly changes: (readonly [string, CelType | undefined])[] = [];

  get(name: string): CelType | undefined {
    return this.bindings.get(name);
  }

  set(name: string, type: CelType): void {
    this.changes.push([name, this.bindings.get(name)]);
    this.bindings.set(name, type);
  }

  /** Checks that `from` is assignable to `to`, and binds type parameters if so. */
  assign(to: CelType, from: CelType): boolean {
    return this.assignAll([to], [from]);
  }

  /** Assigns several types at once, such as the arguments of a call. */
  assignAll(to: readonly CelType[], from: readonly CelType[]): boolean {
    const before = this.changes.length;
    if (allFit(this, to, from)) return true;
    while (this.changes.length > before) {
      const [name, type] = this.changes.pop() ?? [""];
      if (type) this.bindings.set(name, type);
      else this.bindings.delete(name);
    }
    return false;
  }
}

/** Replaces bound type parameters; with `rest`, replaces unbound ones by it. */
export function substitute(bindings: Pick<Substitution, "get">, type: CelType, rest?: CelType): CelType {
  const found = type.kind === "param" ? bindings.get(type.name) : undefined;
  if (found) return substitute(bindings, found, rest);
  if (type.kind === "param") return rest ?? type;
  if (type.params.length === 0) return type;
  return { ...type, params: type.params.map((inner) => substitute(bindings, inner, rest)) };
}

/** More general of two compatible types. */
export function mostGeneral(a: CelType, b: CelType): CelType {
  return isMoreGeneral(a, b) ? a : b;
}

function isMoreGeneral(a: CelType, b: CelType): boolean {
  if (isDynamic(a) || a.kind === "param") return true;
  if (isDynamic(b) || b.kind === "param" || a.kind !== b.kind) return false;
  if (a.kind === "type") return true;
  if (a.params.length === 0) return isSameType(a, b);
  return (
    a.name === b.name &&
    a.params.length === b.params.length &&
    a.params.every((inner, index) => isMoreGeneral(inner, b.params[index] ?? dyn))
  );
}

function allFit(bindings: Substitution, a: readonly CelType[], b: readonly CelType[]): boolean {
  return a.length === b.length && a.every((type, index) => fits(bindings, type, b[index] ?? dyn));
}

const nullable = new Set<CelType["kind"]>(["opaque", "duration", "null", "struct", "timestamp"]);

function fits(bindings: Substitution, a: CelType, b: CelType): boolean {
  if (b.kind === "param") {
    const { valid, wasBound } = bindParameter(bindings, a, b);
    if (valid || wasBound) return valid;
  }
  if (a.kind === "param") return bindParameter(bindings, b, a).valid;
  if (isDynamic(a) || isDynamic(b)) return true;
  if (a.kind === "null") return nullable.has(b.kind);
  if (b.kind === "null") return nullable.has(a.kind);
  if (a.kind !== b.kind) return false;
  if (a.kind === "type") return true;
  return a.name === b.name && allFit(bindings, a.params, b.params);
}

/** Binds a type parameter. `wasBound` tells whether it was bound before. */
function bindParameter(
  bindings: Substitution,
  type: CelType,
  parameter: CelType,
): { readonly valid: boolean; readonly wasBound: boolean } {
  if (isSameType(type, parameter)) return { valid: true, wasBound: true };
  const found = bindings.get(parameter.name);
  if (found) {
    if (isSameType(type, found)) return { valid: true, wasBound: true };
    if (!fits(bindings, type, found)) return { valid: false, wasBound: true };
    const general = mostGeneral(type, found);
    if (!occursIn(bindings, parameter, general)) bindings.set(parameter.name, general);
    return { valid: true, wasBound: true };
  }
  if (occursIn(bindings, parameter, type)) return { valid: false, wasBound: false };
  bindings.set(parameter.name, type);
  return { valid: true, wasBound: false };
}

/** Occurs check: a parameter cannot be bound to a type that contains it. */
function occursIn(bindings: Substitution, parameter: CelType, type: CelType): boolean {
  if (isSameType(parameter, type)) return true;
  if (type.kind === "param") {
    const found = bindings.get(type.name);
    return found !== undefined && occursIn(bindings, parameter, found);
  }
  return type.params.some((inner) => occursIn(bindings, parameter, inner));
}
