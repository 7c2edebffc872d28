import { emptySet, type FieldSet, type FieldSetDraft, isEmpty, self } from "../fields/field-set.js";
import { fieldName } from "../fields/path-element.js";
import type { FieldType } from "./field-type.js";

/**
 * A set that was written under an older schema. Where a list or map has come to be owned as a whole since, whoever owned
 * parts of it owns the whole. The other way round nothing has to be done.
 */
export function adaptToType(set: FieldSet, type: FieldType): FieldSet {
  if (type.map !== undefined) {
    const { map } = type;
    // What nobody described cannot have come to be described otherwise.
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
