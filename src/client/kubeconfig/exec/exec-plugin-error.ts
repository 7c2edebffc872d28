/** An exec plugin returned no credentials. The message has its stderr and its install hint. */
export class ExecPluginError extends Error {
  override readonly name = "ExecPluginError";
  readonly command: string;
  readonly stderr: string;

  constructor(
    command: string,
    problem: string,
    details: {
      readonly stderr?: string;
      readonly installHint?: string | undefined;
      readonly cause?: unknown;
    } = {},
  ) {
    const stderr = details.stderr?.trim() ?? "";
    const parts = [`The exec plugin ${command} ${problem}`];
    if (stderr !== "") parts.push(`It wrote:\n${indent(stderr)}`);
    if (details.installHint !== undefined)
      parts.push(`How to install it:\n${indent(details.installHint.trim())}`);
    super(parts.join("\n"), details.cause === undefined ? undefined : { cause: details.cause });
    this.command = command;
    this.stderr = stderr;
  }
}

function indent(text: string): string {
  return text.replace(/^/gm, "  ");
}
