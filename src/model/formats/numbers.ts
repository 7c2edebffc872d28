const spacesAndDashes = /[\t\n\f\r -]+/g;
const card =
  /^(?:4\d{12}(?:\d{3})?|5[1-5]\d{14}|6(?:011|5\d\d)\d{12}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|(?:2131|1800|35\d{3})\d{11})$/;

/** Format `isbn10`. */
export function isIsbn10(text: string): boolean {
  const digits = text.replaceAll(spacesAndDashes, "");
  if (!/^\d{9}[\dX]$/.test(digits)) return false;
  const sum = digitsOf(digits).reduce((total, digit, index) => total + (index + 1) * digit, 0);
  return sum % 11 === 0;
}

/** Format `isbn13`. */
export function isIsbn13(text: string): boolean {
  const digits = text.replaceAll(spacesAndDashes, "");
  if (!/^\d{13}$/.test(digits)) return false;
  const sum = digitsOf(digits).reduce(
    (total, digit, index) => total + (index % 2 === 0 ? digit : 3 * digit),
    0,
  );
  return sum % 10 === 0;
}

function digitsOf(text: string): number[] {
  return Array.from(text, (character) => (character === "X" ? 10 : Number(character)));
}

/** Format `creditcard`: a number of a known issuer with a valid check digit; other characters are ignored. */
export function isCreditCard(text: string): boolean {
  const digits = text.replaceAll(/\D+/g, "");
  if (!card.test(digits)) return false;
  const sum = digitsOf(digits)
    .toReversed()
    .reduce((total, digit, index) => {
      const value = index % 2 === 0 ? digit : 2 * digit;
      return total + (value > 9 ? value - 9 : value);
    }, 0);
  return sum % 10 === 0;
}
