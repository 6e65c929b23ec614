import type { Ctx } from "@/server/platform/context";
import { count } from "@/server/platform/text/amounts";
import { verb } from "@/server/platform/verb";
import { readNewestWhole } from "./newest-conversations";
import { toolsCalledIn } from "./own-rule";
import { filterProposalReply, NO_FILTER, type OwnDefinition, type OwnFilter, proposeFilterInput } from "./schemas";

/** Conversations from which the names of tools are taken, and for how long: a person is waiting. */
const READ_MAX = 100;
const TIME_MS = 1_500;
const TOOLS_MAX = 200;

export const proposeFilter = verb(
  {
    name: "rules.proposeFilter",
    summary: "Propose the filter of an own Rule from its description, without a model.",
    description: `Looks in the description for tools that the newest conversations called (at most ${READ_MAX} are read), and for words in quotation marks. A tool after "without", "not", "never" or "before" must not have been called; another one must have been. An empty filter lets every conversation through.`,
    effect: "read",
    capability: "diagnostics:read",
    input: proposeFilterInput,
    reply: filterProposalReply,
  },
  async (ctx, description) => {
    const { conversationsRead, tools } = await toolsOf(ctx);
    return { proposal: { ...proposed(description, tools), tools, conversationsRead } };
  },
);

async function toolsOf(ctx: Ctx) {
  const counts = new Map<string, number>();
  let conversationsRead = 0;
  for await (const { whole } of readNewestWhole(ctx, { limit: READ_MAX, end: performance.now() + TIME_MS })) {
    for (const conversation of whole) {
      conversationsRead++;
      for (const tool of toolsCalledIn(conversation)) counts.set(tool, (counts.get(tool) ?? 0) + 1);
    }
  }
  const tools = [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)).map(([name]) => name);
  return { conversationsRead, tools: tools.slice(0, TOOLS_MAX) };
}

/** Words before a tool's name that say that it was not called. */
const NEGATED =
  /\b(?:without|not|never|no|before|instead of|unless|skips?|skipping|forgets?|fails? to)\b[^.;\n]{0,40}$/iu;
const QUOTED = /["“„«]([^"“”„«»\n]{2,60})["”«»]/gu;

/** Returns the filter that a description names, with a sentence for each part. Pure. */
export function proposed(
  { problem, appliesWhen }: Pick<OwnDefinition, "problem" | "appliesWhen">,
  tools: readonly string[],
): { filter: OwnFilter; reasons: string[] } {
  const text = `${problem}\n${appliesWhen ?? ""}`;
  const filter = {
    ...NO_FILTER,
    toolsCalled: [...NO_FILTER.toolsCalled],
    toolsNotCalled: [...NO_FILTER.toolsNotCalled],
  };
  const reasons: string[] = [];
  for (const tool of tools) {
    const at = wordAt(text, tool);
    if (at === -1) continue;
    const isNegated = NEGATED.test(text.slice(Math.max(0, at - 60), at));
    filter[isNegated ? "toolsNotCalled" : "toolsCalled"].push(tool);
    reasons.push(`The description says that ${tool} was ${isNegated ? "not " : ""}called.`);
  }
  filter.words = [...new Set([...text.matchAll(QUOTED)].map((match) => match[1]!.trim()))].filter(
    (word) => !tools.includes(word),
  );
  if (filter.words.length > 0) reasons.push(`The description quotes ${count(filter.words.length, "word")}.`);
  return { filter, reasons };
}

const WORD = /[\p{L}\p{N}_]/u;

/** Returns where a name occurs in a text as a whole word; -1 if nowhere. */
function wordAt(text: string, name: string): number {
  const [where, what] = [text.toLowerCase(), name.toLowerCase()];
  for (let at = where.indexOf(what); at !== -1; at = where.indexOf(what, at + 1)) {
    if (!WORD.test(where[at - 1] ?? "") && !WORD.test(where[at + what.length] ?? "")) return at;
  }
  return -1;
}
