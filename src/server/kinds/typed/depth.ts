/**
 * Maximum nesting of objects. Far deeper than any real definition, and shallow enough for recursive functions.
 */
export const deepest = 500;
