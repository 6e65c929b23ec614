import { lexer, walkTokens } from "marked";
import { fenced, literal } from "./literal";

const STANDS_FOR_QUOTE = /\ue000(\d+)\ue001/g;
/** Only a quote, after what begins a quotation or an item of a list. */
const ONLY_A_QUOTE = /^((?:\s|>|[-*+]\s|\d{1,9}[.)]\s)*)\ue000(\d+)\ue001\s*$/;

/** Returns what stands for the quote with this index until `insertQuotes`. */
export const quoteMark = (index: number): string => `\ue000${index}\ue001`;

/**
 * Replaces the marks of quotes in Markdown. A quote that has a line to itself becomes a fenced block, also within a quotation or a
 * list; within other text, code or HTML, where a fence would not hold, it becomes escaped text.
 */
export function insertQuotes(markdown: string, quotes: readonly string[]): string {
  const unfenced = withinCode(markdown);
  const text = (index: string) => quotes[Number(index)] ?? "";
  return markdown
    .split("\n")
    .flatMap((line) => {
      const [, before = "", index] = ONLY_A_QUOTE.exec(line) ?? [];
      if (index === undefined || unfenced.has(index)) {
        return line.replace(STANDS_FOR_QUOTE, (_, inText: string) => literal(text(inText)));
      }
      const after = before.replaceAll(/[^\s>]/g, " ");
      return fenced(text(index)).map((quoted, at) => (at === 0 ? before : after) + quoted);
    })
    .join("\n");
}

/** Returns the indexes of quotes that a template places within its own code or HTML. */
function withinCode(markdown: string): ReadonlySet<string> {
  const found = new Set<string>();
  walkTokens(lexer(markdown), ({ type, raw }) => {
    if (type !== "code" && type !== "html") return;
    for (const [, index] of raw.matchAll(STANDS_FOR_QUOTE)) found.add(index!);
  });
  return found;
}
