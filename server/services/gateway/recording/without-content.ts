import type { Pairs } from "../calls/dialect";
import { type Fields, fieldsOf, listOf, parsed, textOf } from "../calls/fields";
import type { Answer } from "../calls/fold-answer";

/** The texts among a request's parameters; all others are numbers. */
const TEXTS: ReadonlySet<string> = new Set(["user.id", "openai.request.service_tier"]);
const TOOLS = "gen_ai.tool.definitions";

/** Returns of a tool's definition its name. */
function named(tool: unknown): Fields {
  const { type, name, function: called } = fieldsOf(tool);
  return called === undefined ? { type, name } : { type, function: { name: fieldsOf(called).name } };
}

/** Returns what is recorded of a request without what was said: its user, its parameters, and the names of its tools. */
export const askedWithoutContent = (pairs: Pairs): Pairs =>
  pairs.flatMap(([name, value]): Pairs => {
    if (name === TOOLS) return [[name, JSON.stringify(listOf(parsed(textOf(value) ?? "")).map(named))]];
    return TEXTS.has(name) || typeof value === "number" ? [[name, value]] : [];
  });

/** Returns an answer without what it says: the names of the tools that it calls. */
export const answerWithoutContent = (answer: Answer): Answer => ({
  ...answer,
  content: "",
  reasoning: "",
  otherParts: [],
  toolCalls: answer.toolCalls.map(({ id, name }) => ({ id, name, arguments: "" })),
});

/** What the gateway itself says of a failure. All else may be the endpoint's words, which may quote the request. */
const OWN_WORDS = [
  /^The client disconnected\.$/,
  /^The answer ended early\.$/,
  /^The model's server (?:ended the answer early|did not reply with JSON)\.$/,
  /^The process that served the call ended before the answer did\.$/,
  /^The (?:alias’s|client’s) time limit (?:of|is) \d+ s(?: is over)?\.$/,
  /^The answer did not begin within \d+ s\.$/,
  /^The endpoint of the connection “[^”]*” (?:replied with the status \d+\.|refused its credential\.)/,
];

/** Returns why a call failed, in the gateway's own words. */
export const errorWithoutContent = (error: string | null): string | null =>
  error &&
  (OWN_WORDS.map((words) => words.exec(error)?.[0]).find((found) => found !== undefined) ?? "The call failed.");
