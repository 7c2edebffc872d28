/** Text for a cell of a table: on one line, with pipes and HTML escaped. */
function cell(text: string): string {
  const parts = text.replaceAll(/\s*\n\s*/g, " ").split(/(`[^`]*`)/);
  const safe = parts.map((part) => (part.startsWith("`") ? part : part.replaceAll("<", "\\<")));
  return safe.join("").replaceAll("|", "\\|");
}

/** Table without padding, so that a longer row does not change the others. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(cell).join(" | ")} |\n`;
  return `${line(head)}|${"---|".repeat(head.length)}\n${rows.map(line).join("")}`;
}

export function code(text: string): string {
  return text === "" ? "" : `\`${text}\``;
}

/** Page with a note at the top that it is generated. */
export function page(title: string, about: string, sections: readonly string[]): string {
  const made = "<!-- Made from the code by `npm run docs:reference`; change the code, not this page. -->";
  return `# ${title}\n\n${made}\n\n${[about, ...sections].map((text) => text.trim()).join("\n\n")}\n`;
}
