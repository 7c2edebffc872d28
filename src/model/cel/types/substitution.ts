import { dyn, isDynamic, isSame, type Type } from "./type.js";

/** What type parameters have turned out to be, by their names. What was tried in vain is taken back. */
export class Substitution {
  private readonly known = new Map<string, Type>();
  private readonly changes: (readonly [string, Type | undefined])[] = [];

  get(name: string): Type | undefined {
    return this.known.get(name);
  }

  set(name: string, type: Type): void {
    this.changes.push([name, this.known.get(name)]);
    this.known.set(name, type);
  }

  /** Whether values of `from` fit where `to` is asked for; if so, what follows from it is known from now on. */
  assign(to: Type, from: Type): boolean {
    return this.assignAll([to], [from]);
  }

  /** The same for several at once, such as the arguments of a call. */
  assignAll(to: readonly Type[], from: readonly Type[]): boolean {
    const before = this.changes.length;
    if (allFit(this, to, from)) return true;
    while (this.changes.length > before) {
      const [name, type] = this.changes.pop() ?? [""];
      if (type) this.known.set(name, type);
      else this.known.delete(name);
    }
    return false;
  }
}

type Draft = Substitution;

/** The type with its parameters replaced by what they turned out to be; with `rest`, all others by that. */
export function substitute(known: Pick<Substitution, "get">, type: Type, rest?: Type): Type {
  const found = type.kind === "param" ? known.get(type.name) : undefined;
  if (found) return substitute(known, found, rest);
  if (type.kind === "param") return rest ?? type;
  if (type.params.length === 0) return type;
  return { ...type, params: type.params.map((inner) => substitute(known, inner, rest)) };
}

/** Of two types that fit each other, the one that says less. */
export function mostGeneral(a: Type, b: Type): Type {
  return saysLess(a, b) ? a : b;
}

function saysLess(a: Type, b: Type): boolean {
  if (isDynamic(a) || a.kind === "param") return true;
  if (isDynamic(b) || b.kind === "param" || a.kind !== b.kind) return false;
  if (a.kind === "type") return true;
  if (a.params.length === 0) return isSame(a, b);
  return (
    a.name === b.name &&
    a.params.length === b.params.length &&
    a.params.every((inner, index) => saysLess(inner, b.params[index] ?? dyn))
  );
}

function allFit(draft: Draft, a: readonly Type[], b: readonly Type[]): boolean {
  return a.length === b.length && a.every((type, index) => fits(draft, type, b[index] ?? dyn));
}

const nullable = new Set<Type["kind"]>(["opaque", "duration", "null", "struct", "timestamp"]);

function fits(draft: Draft, a: Type, b: Type): boolean {
  if (b.kind === "param") {
    const { valid, known } = stands(draft, a, b);
    if (valid || known) return valid;
  }
  if (a.kind === "param") return stands(draft, b, a).valid;
  if (isDynamic(a) || isDynamic(b)) return true;
  if (a.kind === "null") return nullable.has(b.kind);
  if (b.kind === "null") return nullable.has(a.kind);
  if (a.kind !== b.kind) return false;
  if (a.kind === "type") return true;
  return a.name === b.name && allFit(draft, a.params, b.params);
}

/** Whether a parameter can stand for a type, and whether it was known what it stands for. */
function stands(
  draft: Draft,
  type: Type,
  parameter: Type,
): { readonly valid: boolean; readonly known: boolean } {
  if (isSame(type, parameter)) return { valid: true, known: true };
  const found = draft.get(parameter.name);
  if (found) {
    if (isSame(type, found)) return { valid: true, known: true };
    if (!fits(draft, type, found)) return { valid: false, known: true };
    const general = mostGeneral(type, found);
    if (!occurs(draft, parameter, general)) draft.set(parameter.name, general);
    return { valid: true, known: true };
  }
  if (occurs(draft, parameter, type)) return { valid: false, known: false };
  draft.set(parameter.name, type);
  return { valid: true, known: false };
}

/** A parameter cannot stand for something that it is part of. */
function occurs(draft: Draft, parameter: Type, type: Type): boolean {
  if (isSame(parameter, type)) return true;
  if (type.kind === "param") {
    const found = draft.get(type.name);
    return found !== undefined && occurs(draft, parameter, found);
  }
  return type.params.some((inner) => occurs(draft, parameter, inner));
}
