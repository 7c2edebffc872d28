/** What making a list or a map costs, beside what is in it. */
export const listCost = 10;
export const mapCost = 30;

/** What going along a text costs per character. */
export const textFactor = 0.1;

/** What a pattern costs per character, for each unit of the text it is matched with. */
export const patternFactor = 0.25;
