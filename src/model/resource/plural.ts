/** Irregular plurals. The last word of a kind decides: BlueChild becomes bluechildren. */
const irregular: Readonly<Record<string, string>> = {
  child: "children",
  person: "people",
  man: "men",
  woman: "women",
  mouse: "mice",
  foot: "feet",
  tooth: "teeth",
  goose: "geese",
  quiz: "quizzes",
  leaf: "leaves",
  shelf: "shelves",
  half: "halves",
  self: "selves",
  knife: "knives",
  life: "lives",
  hero: "heroes",
  echo: "echoes",
  veto: "vetoes",
  criterion: "criteria",
};

/** Words without a separate plural, besides those that end in a plural s. */
const invariable = new Set([
  ..."data metadata media hardware software firmware middleware equipment information".split(" "),
  ..."series species traffic storage knowledge feedback sheep fish".split(" "),
]);

const lastWord = /(?:^|[a-z0-9])([A-Z][a-z0-9]*)$/;

/**
 * Plural of a kind, in lower case, as an English speaker would guess it. A kind that is a plural already,
 * such as Endpoints, is unchanged.
 *
 * @example
 * pluralOf("NetworkPolicy"); // "networkpolicies"
 */
export function pluralOf(kind: string): string {
  const word = (lastWord.exec(kind)?.[1] ?? kind).toLowerCase();
  const before = kind.slice(0, kind.length - word.length).toLowerCase();
  return before + pluralOfWord(word);
}

function pluralOfWord(word: string): string {
  const special = Object.hasOwn(irregular, word) ? irregular[word] : undefined;
  if (special !== undefined) return special;
  if (invariable.has(word)) return word;
  if (/[^aeiou]y$/.test(word)) return `${word.slice(0, -1)}ies`;
  if (/(?:aly|ba|the|cri|pha|nop)sis$/.test(word)) {
    return `${word.slice(0, -2)}es`;
  }
  if (/(?:ss|us|is|as|os|x|z|ch|sh)$/.test(word)) return `${word}es`;
  if (word.endsWith("s")) return word;
  return `${word}s`;
}
