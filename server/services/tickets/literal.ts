/**
 * Breaks up what trackers resolve. An invisible character, because GitHub and GitLab resolve mentions, references and addresses
 * in the rendered text, where backslashes and entities are gone; Renovate and Dependabot use the same one.
 */
const BREAK = "\u200b";

/** What a tracker resolves wherever it stands in text: the part before the break. At a text's end, what follows is unknown. */
const RESOLVED: readonly RegExp[] = [
  /@/g, // people and teams
  /#(?=\d|$)/g, // issues
  /!(?=[\d[]|$)/g, // GitLab's merge requests; images
  /~(?=\S|$)/g, // GitLab's labels
  /%(?=["\p{L}\p{N}]|$)/gu, // GitLab's milestones
  /&(?=#|\d|\w+;|$)/g, // GitLab's epics; entities, which could spell any of these
  /\$(?=[\w{`]|$)/g, // GitLab's snippets; formulas
  /\*(?=iteration:)/gi, // GitLab's iterations
  /\[(?=[a-z_]+:|$)/gi, // GitLab's `[issue:1]`
  /\b(?:gh|gl)-(?=\d)/gi, // issues of GitHub and GitLab
  /\b[A-Z][A-Z0-9_]+-(?=\d)/g, // tickets of Jira and Linear
  // Addresses: GitLab links them even if they are escaped, and Linear makes a mention of a profile's.
  /:(?=\/\/|$)/g,
  /\b(?:mailto|xmpp):(?=\S)/gi,
  /\bwww(?=\.)/gi,
  /^(?=\/\/)/g,
];

/**
 * Returns text that mentions nobody, refers to nothing and reads as before. It suffices for titles, which are plain text: GitHub,
 * Linear and Jira resolve nothing there, but GitLab resolves references and addresses, and its mentions in titles notify.
 */
export const inert = (text: string): string =>
  RESOLVED.reduce((done, pattern) => done.replace(pattern, `$&${BREAK}`), clean(text).replace(COMMIT, inParts));

/** A commit's id, of which six characters are too few. Numbers are left alone: nobody is notified of a commit. */
const COMMIT = /\b(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,40}\b/g;
const inParts = (id: string) => id.replaceAll(/.{6}(?=.)/g, `$&${BREAK}`);

/** Returns text without control characters, and without those that stand for quotes in `quotes.ts`. */
const clean = (text: string) =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are removed
  text.replaceAll(/\r\n?|[\u2028\u2029\v\f]/g, "\n").replaceAll(/[\0-\x08\x0e-\x1f\x7f\ue000\ue001]/g, "");

/** What Markdown interprets, in matching order, with its escaped form. */
const INTERPRETED: readonly [RegExp, string][] = [
  [/[\\`*~[\]|$]/g, "\\$&"],
  // Within a word it is text.
  [/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, "\\$&"],
  // Not a backslash, which has no effect within HTML.
  [/<(?=[a-z/!?]|$)/gi, `$&${BREAK}`],
  // At the beginning of a line: blocks, front matter, GitLab's `::include`, and commands such as `/close`.
  [/^[^\S\n]+/gm, ""],
  [/^(?:[+=>;-]|#(?=#*(?:\s|$))|:(?=:)|\/(?=[a-z]))/gim, "\\$&"],
  [/^(\d{1,9})([.)])(?=\s|$)/gm, "$1\\$2"],
  // Names in code spans, which Rules write in summaries, and in which nothing is left to resolve.
  [/\\`([\w.:/-]+(?: [\w.:/-]+)*)\\`/g, "`$1`"],
];

/** Returns Markdown that shows text as it is, in GitHub, GitLab, Linear and our converter for Jira, wherever it is inserted. */
export const literal = (text: string): string =>
  INTERPRETED.reduce((done, [pattern, by]) => done.replace(pattern, by), inert(text));

/** Returns the lines of a block that shows text as it is, if it begins on a line of its own. */
export function fenced(text: string): string[] {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return [`${fence}text`, ...text.replaceAll("\r", "").split("\n"), fence];
}
