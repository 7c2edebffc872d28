import type { Command } from "../command/command.js";
import { kubeconfigOptions } from "../command/options.js";
import { valueFormatOf, valueOption, printValue } from "../output/value-output.js";
import { connect } from "../server/connect.js";

export const command: Command = {
  description: "Print the version of this command, of Node, and of the server.",
  options: [...kubeconfigOptions, { flags: "--client", summary: "do not ask the server" }, valueOption],
  examples: [
    ["fettle version", "this command and the server"],
    ["fettle version --client -o json", "this command only"],
  ],
  async run(_, options, terminal) {
    const format = valueFormatOf(options);
    const client = { version: terminal.version, node: process.version };
    if (options["client"] === true) {
      await printValue(terminal, format, { client }, () => clientLine(client));
      return;
    }
    // Printed first: the server may not respond.
    if (format === undefined) terminal.stdout.write(clientLine(client));
    await using server = await connect(options, terminal);
    const { gitVersion } = await server.transport.document("/version", { signal: terminal.signal });
    const url = server.connection.server;
    await printValue(
      terminal,
      format,
      { client, server: { version: gitVersion, url } },
      () => `server ${String(gitVersion)} at ${url}\n`,
    );
  },
};

function clientLine({ version, node }: { readonly version: string; readonly node: string }): string {
  return `fettle ${version} on Node ${node.replace(/^v/, "")}\n`;
}
