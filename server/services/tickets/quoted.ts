import { fenced } from "./literal";

/** A longer run would make a fence that takes more room than what it is around. */
const LONGEST_RUN = /`{40,}/g;

/** Returns a block that shows text as data, whatever is in it: the text cannot close it. */
export function quoted(text: string, language = "text"): string {
  const [first, ...rest] = fenced(text.replace(LONGEST_RUN, "`".repeat(40)));
  return [first?.replace(/text$/, language), ...rest].join("\n");
}

/** Returns text as code on one line, whatever it contains. */
export const code = (text: string): string => `\`${text.replaceAll(/[`\s]+/g, " ").trim()}\``;
