import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { UsageError } from "./output";

/** Whether somebody sits there who can be asked. */
export const isInteractive = () => process.stdin.isTTY === true && process.stderr.isTTY === true;

const nowhere = () => new Writable({ write: (_chunk, _encoding, done) => done() });

/** Asks on the terminal, on stderr: stdout may be somebody's input. `hidden`: what is typed is not shown. */
export async function prompt(question: string, { hidden = false } = {}): Promise<string> {
  process.stderr.write(question);
  const lines = createInterface({
    input: process.stdin,
    output: hidden ? nowhere() : process.stderr,
    terminal: true,
  });
  try {
    const stopped = new Promise<never>((_, reject) => {
      lines.once("SIGINT", () => reject(new UsageError("Stopped.")));
      lines.once("close", () => reject(new UsageError("Nothing was typed.")));
    });
    return await Promise.race([lines.question(""), stopped]);
  } finally {
    lines.close();
    if (hidden) process.stderr.write("\n");
  }
}

/** The first line of standard input, without its end. */
export async function firstLine(input: NodeJS.ReadableStream = process.stdin): Promise<string> {
  const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
  for await (const line of lines) {
    lines.close();
    return line;
  }
  return "";
}

export type PasswordGiven = { password?: string | false; passwordStdin?: boolean };

const SEEN =
  "A password in a command line can be read by other programs of this machine, and stays in the shell's history: leave it out to be asked, or use --password-stdin.\n";

/** The password as it was given, read, or typed; `undefined` for somebody who is to have none. */
export async function passwordOf(
  { password, passwordStdin }: PasswordGiven,
  /** A program reads what is said: one object and nothing else. */
  { json = false } = {},
): Promise<string | undefined> {
  if (typeof password === "string" && passwordStdin) throw new UsageError("Give the password in one way only.");
  if (typeof password === "string") {
    if (!json) process.stderr.write(SEEN);
    return password;
  }
  if (passwordStdin) {
    const line = await firstLine();
    if (line === "") throw new UsageError("There is no password on standard input.");
    return line;
  }
  if (password === false || !isInteractive()) return undefined;
  const typed = await prompt("Password (nothing, for who signs in through a provider or by `user reset-link`): ", {
    hidden: true,
  });
  return typed === "" ? undefined : typed;
}
