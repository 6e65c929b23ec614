import { expect, test } from "vitest";
import { jiraMarkup } from "./jira-markup";

test.each([
  ["## Evidence", "h2. Evidence"],
  ["It **fails** in _12_ of ~~30~~ cases", "It *fails* in _12_ of -30- cases"],
  ["See [the trace](https://w.example/t?a=1) for more", "See [the trace|https://w.example/t?a=1] for more"],
  ["See <https://w.example/t>", "See [https://w.example/t|https://w.example/t]"],
  ["[here](/relative) and ![shot](https://w.example/a.png)", "here and [shot|https://w.example/a.png]"],
  ["Call `search_emails`", "Call {{search_emails}}"],
  ["- one\n- two\n  1. inner\n  2. inner too\n- three", "* one\n* two\n*# inner\n*# inner too\n* three"],
  ["- [x] done\n- [ ] open", "* ☑ done\n* ☐ open"],
  ["> said\n> so", "{quote}\nsaid so\n{quote}"],
  ["```python\nprint(1)\n```", "{code:python}\nprint(1)\n{code}"],
  ["```brainfuck\n+\n```", "{code}\n+\n{code}"],
  ["| a | b |\n|---|---|\n| 1 |  |", "||a||b||\n|1| |"],
  ["above\n\n---\n\nbelow", "above\n\n----\n\nbelow"],
  ["one\ntwo  \nthree", "one two\nthree"],
  ["<!-- hidden -->\n\nseen<br>here", "seen\nhere"],
])("the Markdown %j is %j in Jira", (markdown, wiki) => {
  expect(jiraMarkup(markdown)).toBe(wiki);
});

test.each([
  ["{color:red}x{color}", "\\{color:red\\}x\\{color\\}"],
  ["\\[~admin\\] and !x.png!", "\\[\\~admin\\] and \\!x.png\\!"],
  ["snake_case_name and well-known", "snake_case_name and well-known"],
  ["2 * 3 * 4", "2 * 3 * 4"],
  ["a|b", "a\\|b"],
  ["C:\\temp", "C:&#92;temp"],
  ["really?? :)", "really\\?? \\:)"],
  ["\\*not bold\\* \\- \\# \\_x\\_", "\\*not bold\\* \\- \\# \\_x\\_"],
  ["h1. no heading", "h1\u200b. no heading"],
])("plain text is escaped: %j is %j", (markdown, wiki) => {
  expect(jiraMarkup(markdown)).toBe(wiki);
});

test("code cannot close its own code block", () => {
  const code = jiraMarkup("```\n{code}\n!x!\n```");
  expect(code.match(/\{code\}/g)).toHaveLength(2);
  expect(code).toMatch(/^\{code\}\n\{\u200bcode\}\n!x!\n\{code\}$/);
});

test("text that is too long for Jira is cut after a whole block, with a note", () => {
  const wiki = jiraMarkup(Array.from({ length: 100 }, (_, index) => `${index} ${"x".repeat(1000)}`).join("\n\n"));
  expect(wiki.length).toBeLessThan(32_767);
  expect(wiki).toMatch(/\n\n_\(The rest did not fit into Jira\.\)_$/);
});
