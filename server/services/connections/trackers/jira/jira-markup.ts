import { lexer, type MarkedToken, type Token, type Tokens } from "marked";

/** Jira rejects text longer than 32,767 characters. */
const MAX_CHARACTERS = 32_000;
const SHORTENED = "_(The rest did not fit into Jira.)_";

/** Languages that every Jira can highlight; for any other, a Data Center shows an error in place of the code. */
const LANGUAGES: ReadonlySet<string> = new Set(
  "bash c c# c++ cpp css go groovy haskell html java javascript js json lua objc perl php python r ruby scala sh sql swift xml yaml".split(
    " ",
  ),
);

/** Text that Jira would interpret as markup, in matching order, with its escaped form. */
const ESCAPES: readonly [RegExp, string][] = [
  [/\\/g, "&#92;"],
  [/[{}[\]|!]/g, "\\$&"],
  // Emphasis begins or ends where only one side is part of a word.
  [/(?<![\p{L}\p{N}\s])[*_+^~-](?=[\p{L}\p{N}])|(?<=^|\s)[*_+^~-](?=\S)|(?<=\S)[*_+^~-](?![\p{L}\p{N}])/gu, "\\$&"],
  [/\?(?=\?)/g, "\\?"],
  // Emoticons.
  [/[:;](?=[)(DP])|\((?=(?:[xyi/+*?!-]|on|off)\))/g, "\\$&"],
  // Lists and headings, at the beginning of a line. A backslash does not hold a heading back; an invisible character does.
  [/^[#*-](?=\s)/g, "\\$&"],
  [/^(?:h[1-6]|bq)(?=\.\s)/gi, "$&\u200b"],
];
/** What an escape in Markdown can stand for and Jira would interpret next to other text. */
const SPECIAL = /[*_+^~?:;(#-]/;
const escaped = (text: string) => ESCAPES.reduce((done, [pattern, by]) => done.replace(pattern, by), text);
/** A line break in Markdown source means a space; Jira would break the line. */
const plain = (text: string) => escaped(text.replaceAll(/\s*\n\s*/g, " "));
const withoutTags = (html: string) => html.replaceAll(/<!--[\s\S]*?(-->|$)|<\/?[a-z][^>]*>/gi, "");

/** Converts Markdown to Jira's wiki markup. */
export function jiraMarkup(markdown: string): string {
  const blocks: string[] = [];
  let length = 0;
  for (const block of lexer(markdown).map(blockOf)) {
    if (block === "") continue;
    if (length + block.length > MAX_CHARACTERS) return [...blocks, SHORTENED].join("\n\n");
    blocks.push(block);
    length += block.length + 2;
  }
  return blocks.join("\n\n");
}

const blocksOf = (tokens: readonly Token[]) => tokens.map(blockOf).filter((block) => block !== "");

function blockOf(given: Token): string {
  const token = given as MarkedToken;
  switch (token.type) {
    case "heading":
      return `h${token.depth}. ${inline(token.tokens)}`;
    case "paragraph":
    case "text":
      return inlineOf(token);
    case "code":
      return codeBlock(token);
    case "blockquote":
      return `{quote}\n${blocksOf(token.tokens).join("\n\n")}\n{quote}`;
    case "list":
      return list(token, "");
    case "table":
      return table(token);
    case "hr":
      return "----";
    case "html":
      return plain(withoutTags(token.text).trim());
    default:
      return ""; // blank lines and link definitions
  }
}

function codeBlock({ text, lang = "" }: Tokens.Code): string {
  const language = lang.split(/\s/)[0]?.toLowerCase() ?? "";
  // An end marker inside the code would close the block: a zero-width space breaks it up.
  const code = text.replaceAll(/\{(?=code|noformat)/g, "{\u200b");
  return `{code${LANGUAGES.has(language) ? `:${language}` : ""}}\n${code}\n{code}`;
}

function list({ ordered, items }: Tokens.List, outer: string): string {
  const bullets = outer + (ordered ? "#" : "*");
  return items.map((item) => `${bullets} ${listItem(item, bullets)}`).join("\n");
}

function listItem({ tokens, task, checked }: Tokens.ListItem, bullets: string): string {
  let text = task ? `${checked ? "☑" : "☐"} ` : "";
  for (const token of tokens) {
    if (token.type === "checkbox" || token.type === "space") continue;
    const isList = token.type === "list";
    const block = isList ? list(token as Tokens.List, bullets) : blockOf(token);
    text += text === "" || text.endsWith(" ") ? block : `\n${block}`;
  }
  return text;
}

function table({ header, rows }: Tokens.Table): string {
  const row = (cells: readonly Tokens.TableCell[], bar: string) =>
    `${bar}${cells.map(({ tokens }) => inline(tokens) || " ").join(bar)}${bar}`;
  return [row(header, "||"), ...rows.map((cells) => row(cells, "|"))].join("\n");
}

const inline = (tokens: readonly Token[]): string => tokens.map(inlineOf).join("");

function inlineOf(given: Token): string {
  const token = given as MarkedToken;
  switch (token.type) {
    case "paragraph":
      return inline(token.tokens);
    case "text":
      return "tokens" in token && token.tokens ? inline(token.tokens) : plain(token.text);
    case "escape":
      return SPECIAL.test(token.text) ? `\\${token.text}` : escaped(token.text);
    case "strong":
      return `*${inline(token.tokens)}*`;
    case "em":
      return `_${inline(token.tokens)}_`;
    case "del":
      return `-${inline(token.tokens)}-`;
    case "codespan":
      return `{{${plain(token.text)}}}`;
    case "br":
      return "\n";
    case "link":
      return link(inline(token.tokens), token.href);
    case "image":
      // As a link: Jira would load the picture from its address.
      return link(plain(token.text) || "image", token.href);
    case "html":
      return /^<br\s*\/?>$/i.test(token.text) ? "\n" : "";
    default:
      return "";
  }
}

/** Only web addresses become links; Jira would interpret others as names of its own. */
function link(text: string, href: string): string {
  if (!/^(https?:\/\/|mailto:)/i.test(href)) return text;
  const address = href.replaceAll(/[|[\]{}\s]/g, (character) => encodeURIComponent(character));
  return `[${text}|${address}]`;
}
