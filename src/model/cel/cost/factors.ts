/** Cost of creating a list or a map, without its elements. */
export const listCost = 10;
export const mapCost = 30;

/** Cost of traversing a string, per character. */
export const textFactor = 0.1;

/** Cost of a pattern, per character and unit of the matched string. */
export const patternFactor = 0.25;
