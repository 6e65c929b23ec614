import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { UsageError } from "./output";

/** Returns whether a person can be prompted on a terminal. */
export const isInteractive = () => process.stdin.isTTY === true && process.stderr.isTTY === true;

const nowhere = () => new Writable({ write: (_chunk, _encoding, done) => done() });

/** Prompts on stderr, because stdout may be piped. `hidden`: the typed text is not echoed. */
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
      lines.once("close", () => reject(new UsageError("No input.")));
    });
    return await Promise.race([lines.question(""), stopped]);
  } finally {
    lines.close();
    if (hidden) process.stderr.write("\n");
  }
}

/** Returns the first line of standard input, without its line break. */
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
  "A password on the command line can be read by other programs on this machine and stays in the shell's history: omit it to be prompted, or use --password-stdin.\n";

/** Returns the password as given, read or typed; `undefined` for a person without one. */
export async function passwordOf(
  { password, passwordStdin }: PasswordGiven,
  /** With JSON output, nothing but the object may be printed. */
  { json = false } = {},
): Promise<string | undefined> {
  if (typeof password === "string" && passwordStdin) throw new UsageError("Provide the password in one way only.");
  if (typeof password === "string") {
    if (!json) process.stderr.write(SEEN);
    return password;
  }
  if (passwordStdin) {
    const line = await firstLine();
    if (line === "") throw new UsageError("Standard input contains no password.");
    return line;
  }
  if (password === false || !isInteractive()) return undefined;
  const typed = await prompt(
    "Password (empty for someone who signs in through a provider or with a `user reset-link`): ",
    {
      hidden: true,
    },
  );
  return typed === "" ? undefined : typed;
}
