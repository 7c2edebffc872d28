import sortedBTree from "sorted-btree";

/** A sorted map. The package is CommonJS: its default export is a property of what Node imports. */
export const SortedTree = sortedBTree.default;
export type SortedTree<Key, Value> = sortedBTree.default<Key, Value>;
