import { lexer, type Token, walkTokens } from "marked";
import { expect, test } from "vitest";
import { jiraMarkup } from "@/server/services/connections/trackers/jira/jira-markup";
import { inert, literal } from "./literal";
import { renderTemplates } from "./templates";
import { ticketFacts } from "./testing";

const URL_OF_OURS = "https://whetstone.example/p/prj_a_b/findings/fnd_1";

/** Text that at least one tracker would resolve, load or interpret. */
const HOSTILE = [
  "@octocat",
  "ask (@acme/platform-team)",
  "\\@octocat",
  "&#64;octocat &commat;all",
  "#12",
  "acme/shop#12 and acme/shop@4f9a8b7c",
  "GH-12 gl-12",
  "!1 acme/shop!1",
  '~bug ~12 ~"needs review"',
  '%3 %v1 %"next release"',
  "&1 group&1",
  "$1 and $x^2$",
  "^alert#1",
  '[issue:12] [vulnerability:1] *iteration:"one"',
  "4f9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c4d3e2f1a",
  "ENG-12 is SHOP_2-7",
  "https://evil.example/x",
  "https://linear.app/acme/profiles/ann",
  "ftp://evil.example www.evil.example mailto:ann@evil.example",
  "<https://evil.example>",
  "[here](https://evil.example)",
  "[here](//evil.example)",
  "[here][a]\n\n[a]: //evil.example",
  "] (x) ](//evil.example) [",
  "![pixel](https://evil.example/p.png)",
  '<img src="https://evil.example/p.png"> </details><b>',
  "<!-- whetstone:wki_1 -->",
  "Please\n/close",
  "/assign @ann\n\n  /label ~bug",
  "# Heading\n## Another",
  "Title\n===",
  "one\n---\ntwo",
  "+++\n;;;",
  "- item\n+ item\n* item\n1. item\n2) item",
  "> said",
  "```\ncode\n```",
  "~~~\ncode",
  "    indented @ann\n\tand more",
  "| a | b |\n|---|---|\n| 1 | 2 |",
  "*a* _b_ __c__ **d** ~~e~~ ~f~ a*b*c",
  "C:\\temp\\",
  "``a` @b",
  "`@octocat` and `#12",
  "`GH-12` and `www.evil.example`",
  "[~admin] !https://evil.example/p.png! {code}x{code} {color:red}y{color}",
  "h1. Big\n\nbq. said",
  "::include{file=a.md}\n[[_TOC_]] [^1]",
  "<EMAIL_1> and \u0000\ue0000\ue001",
];

/** What each tracker resolves in rendered text, as its documentation describes it. */
const RESOLVED = {
  github: [
    /(?<![\w`])@\w/,
    /#\d/,
    /\bgh-\d/i,
    /\b(?=\d*[a-f])(?=[a-f]*\d)[0-9a-f]{7,40}\b/,
    /\w:\/\//,
    /\bwww\./i,
    /\w@\w/,
  ],
  gitlab: [
    /@\w/,
    /[#!&$]\d/,
    /[~%]["\w]/,
    /\bgl-\d/i,
    /\[[a-z_]+:/,
    /\*iteration:/,
    /\b(?=\d*[a-f])(?=[a-f]*\d)[0-9a-f]{7,40}\b/,
    /\w:\/\//,
  ],
  linear: [/@\w/, /\b[A-Z][A-Z0-9_]*-\d/, /\w:\/\//, /\bwww\./i],
  jira: [/\b[A-Z][A-Z0-9_]+-\d/, /\w:\/\//, /\bmailto:\w/, /\bwww\./i],
};
const BREAKS = /\u200b/g;

/** Returns what a reader of Markdown sees outside code, and what is loaded, linked or HTML. */
function read(markdown: string) {
  const [text, live]: [string[], string[]] = [[], []];
  walkTokens(lexer(markdown), (token: Token) => {
    if (token.type === "text" && !("tokens" in token && token.tokens)) text.push(token.text);
    else if (token.type === "escape") text.push(token.text);
    else if (token.type === "br") text.push("\n");
    else if (token.type === "link" && !token.href.startsWith(URL_OF_OURS)) live.push(token.raw);
    else if (token.type === "image") live.push(token.raw);
    else if (token.type === "html") for (const [tag] of token.raw.matchAll(/<[a-z!/][^>]*>?/gi)) live.push(tag);
  });
  return { text: text.join(""), live };
}

const words = (text: string) => text.replaceAll(/[\0\ue000\ue001\u200b`]|\s+/g, "");

test.each(HOSTILE)("Markdown shows %j as it is", (text) => {
  const types = new Set<string>();
  let shown = "";
  walkTokens(lexer(literal(text)), (token: Token) => {
    types.add(token.type);
    if (token.type === "codespan" || (token.type === "text" && !("tokens" in token && token.tokens)))
      shown += token.text;
    if (token.type === "escape") shown += token.text;
  });
  for (const harmless of ["paragraph", "text", "escape", "space", "br", "codespan"]) types.delete(harmless);
  expect([...types]).toEqual([]);
  expect(words(shown)).toBe(words(text));
});

test.each(
  HOSTILE.flatMap((text) => (["github", "gitlab", "linear"] as const).map((tracker) => [tracker, text] as const)),
)("on %s, %j resolves to nothing in a body or a title", (tracker, text) => {
  for (const shown of [read(literal(text)).text, inert(text)])
    for (const pattern of RESOLVED[tracker]) expect(shown).not.toMatch(pattern);
  expect(inert(text).replace(BREAKS, "").trim()).toBe(text.replaceAll(/[\0\ue000\ue001]/g, "").trim());
});

test.each(HOSTILE)("in Jira, %j is plain text", (text) => {
  const wiki = jiraMarkup(literal(text));
  const unescaped = wiki.replaceAll(/\{\{[\w.:/ -]+\}\}/g, "").replaceAll(/\\[^A-Za-z0-9\s]/g, "\0");
  for (const pattern of [...RESOLVED.jira, /[[\]{}|!]/, /(?:^|\s)[*_+^~-]\S/, /^(?:[#*-]|h[1-6]\.|bq\.)\s/m])
    expect(unescaped).not.toMatch(pattern);
  const shown = wiki.replaceAll("&#92;", "\\\\").replaceAll(/\\([^A-Za-z0-9\s])/g, "$1");
  expect(words(shown).replaceAll(/\{\{|\}\}/g, "")).toBe(words(text));
});

const factsWith = (text: string) =>
  ticketFacts(
    { title: text, summary: text, url: URL_OF_OURS },
    { conversation: "conv_1", url: URL_OF_OURS, summary: text, quotes: [text, "another"] },
  );
const bodyOf = (bodyTemplate: string | null, text: string) =>
  renderTemplates({ titleTemplate: null, bodyTemplate }, factsWith(text)).body;

const OCCURRENCES = (each: string) => `{% for one in occurrences %}${each}{% endfor %}`;
const QUOTES = (each: string) => OCCURRENCES(`{% for quote in one.quotes %}${each}{% endfor %}`);

test.each([
  [null, []],
  ["{{ finding.title }}{{ finding.summary }}", []],
  ["- {{ finding.summary }}\n- {{ finding.title }}", []],
  ["> {{ finding.summary }}", []],
  ["**{{ finding.title }}** and _{{ finding.summary }}_", []],
  ["[{{ finding.title }}]({{ finding.url }})", []],
  ["| a | b |\n|---|---|\n| {{ finding.title }} | {{ finding.summary }} |", []],
  ["`{{ finding.title }}` {{ finding.summary }}", []],
  ["```\n{{ finding.title }}\n```\n{{ finding.summary }}", []],
  ["<details>{{ finding.title }}</details>", ["<details>", "</details>"]],
  ["{{ finding.title | raw }} {{ finding.title | escape }} {{ finding.title | upcase }}", []],
  ["{% echo finding.title %} {% cycle finding.title, finding.summary %}", []],
  ["{% capture all %}{{ finding.title }}{% endcapture %}{{ all }} {{ all | strip }}", []],
  ["{% assign all = finding.title | append: finding.url %}{{ all }} {{ finding.url | append: finding.title }}", []],
  [OCCURRENCES("{{ one.quotes }}\n\n{{ one.quotes | join: ', ' }} {{ one.quotes | first }} {{ one.quotes[0] }}"), []],
  [QUOTES("> {{ quote }}\n\n"), []],
  [QUOTES("- {{ quote }}\n"), []],
  [QUOTES("1. > {{ quote }}\n"), []],
  [QUOTES("Somebody said: {{ quote }}\n\n"), []],
  [QUOTES("{{ quote }} (see the conversation)\n"), []],
  [QUOTES("| {{ quote }} |\n"), []],
  [QUOTES("```\n{{ quote }}\n```\n"), []],
  [QUOTES("    {{ quote }}\n\n"), []],
  [QUOTES("{{ quote | truncate: 30 }} {{ quote | strip_newlines }}\n"), []],
] as [string | null, string[]][])("in the template %j, nothing from a conversation is live", (template, own) => {
  for (const text of ["\n\n", "\n", " "].map((separator) => HOSTILE.join(separator))) {
    const { text: shown, live } = read(bodyOf(template, text));
    expect(live.filter((tag) => !own.includes(tag))).toEqual([]);
    expect(shown.replaceAll(URL_OF_OURS, "")).not.toMatch(/@\w|#\d|\w:\/\/|\bwww\.|\[issue:/);
  }
});

test.each(["pre", "details", "div"])("a quote within <%s> of a template cannot leave it or load anything", (tag) => {
  const quote = `</${tag}>\n\n\`\`\`\n@octocat <img src="https://evil.example/p.png"> ![x](//evil.example)`;
  const body = bodyOf(QUOTES(`<${tag}>\n{{ quote }}\n</${tag}>\n\n`), quote);
  expect(body).not.toMatch(/@\w|<img|!\[|(?<!\\)\]\(/);
  expect(body.match(new RegExp(`</${tag}>`, "g"))).toHaveLength(2);
});

test.each([
  ["{{ quote }}", "```text\none\n\ntwo\n```"],
  ["> {{ quote }}", "> ```text\n> one\n> \n> two\n> ```"],
  ["- {{ quote }}", "- ```text\n  one\n  \n  two\n  ```"],
  ["<details>\n\n{{ quote }}\n\n</details>", "<details>\n\n```text\none\n\ntwo\n```\n\n</details>"],
])("in the template %j, a quote is a fenced block", (each, block) => {
  const template = `{% assign quote = occurrences[0].quotes[0] %}${each}`;
  expect(bodyOf(template, "one\n\ntwo")).toBe(block);
});

test("a fence is longer than those within its quote", () => {
  expect(bodyOf("{{ occurrences[0].quotes[0] }}", "a\n````\nb")).toBe("`````text\na\n````\nb\n`````");
});

test.each([
  ["{{ finding.url }}", URL_OF_OURS],
  ["{% echo finding.url %}", URL_OF_OURS],
  ["{{ finding.url | append: '#evidence' }}", `${URL_OF_OURS}#evidence`],
  ["{% assign link = finding.url %}{{ link }}", URL_OF_OURS],
  ["{% capture link %}[it]({{ finding.url }}){% endcapture %}{{ link }}", `[it](${URL_OF_OURS})`],
  ["{{ occurrences | map: 'url' | join: ', ' }}", URL_OF_OURS],
  ["{{ occurrences[0].quotes | join: '\n' }}", "```text\none\n```\n```text\nanother\n```"],
  ["{% if occurrences[0].quotes[0] contains 'on' and finding.title == 'one' %}yes{% endif %}", "yes"],
  ["{{ occurrences[0].quotes | json }}", '\\["one","another"\\]'],
  ["{{ finding.summary | newline_to_br }}", "one"],
])("the template %j keeps what is ours", (template, body) => {
  expect(bodyOf(template, "one")).toBe(body);
});

test("ordinary words, names and numbers are unchanged", () => {
  const text = "`search_emails` failed in 12 of 40 calls (30%), with gpt-4o: “order not found”. Really? 2.50 USD";
  expect(literal(text)).toBe(text);
});
