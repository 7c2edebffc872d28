import { emptySet, type FieldSet, type FieldSetDraft, isEmpty, self } from "../fields/field-set.js";
import { fieldName } from "../fields/path-element.js";
import type { FieldType } from "./field-type.js";

/**
 * Adapts a set that was recorded under an older schema. If a list or map has become atomic since, owners of
 * parts of it own the whole. The reverse change needs nothing.
 */
export function adaptToType(set: FieldSet, type: FieldType): FieldSet {
  if (type.map !== undefined) {
    const { map } = type;
    // Untyped values cannot have become atomic.
    if (map.untyped) return set;
    return adaptEach(set, (element) => map.typeOf(fieldName(element) ?? ""));
  }
  const { list } = type;
  return list === undefined ? set : adaptEach(set, () => list.element);
}

function adaptEach(set: FieldSet, typeOf: (element: string) => FieldType | undefined): FieldSet {
  let draft: FieldSetDraft | undefined;
  for (const element in set) {
    const node = set[element];
    if (element === self || node === undefined || isEmpty(node)) continue;
    const type = typeOf(element);
    if (type === undefined) continue;
    const adapted = isAtomic(type) ? emptySet : adaptToType(node, type);
    if (adapted !== node) (draft ??= { ...set })[element] = adapted;
  }
  return draft ?? set;
}

function isAtomic({ map, list, scalar }: FieldType): boolean {
  if (map !== undefined) return map.atomic && !map.untyped;
  return scalar === undefined && list?.atomic === true;
}
