/**
 * How many objects of our tables' types may stand in each other. Far deeper than any real definition, and shallow enough
 * for functions that call themselves.
 */
export const deepest = 500;
