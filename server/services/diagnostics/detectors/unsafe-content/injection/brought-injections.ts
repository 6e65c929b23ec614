import { isByUser } from "@/server/services/telemetry/schemas";
import type { ConversationSnapshot, Evidence } from "../../../types";
import { quoteMessage } from "../../reading/evidence";
import { textOf } from "../../reading/text";
import { quoteExchange, type ToolExchange, toolExchanges } from "../../reading/tool-exchanges";
import type { Family } from "./cues";
import { askedFor, type UserRequest } from "./likely-orders";
import { type Carrier, type Injection, readInjections } from "./read-injection";

/** Injections in one text that a user or a tool brought in, best first. */
export type BroughtInjections = {
  carrier: Carrier;
  /** The tool whose result it is. */
  tool: string | null;
  /** Position of the message; a result without a message takes that of its call, or the end. */
  index: number;
  text: string;
  injections: readonly Injection[];
  quote: (start: number, end: number) => Evidence;
};

const broughtIn = new WeakMap<ConversationSnapshot, readonly BroughtInjections[]>();

/** Returns the injections of a conversation in order. Memoized per conversation. */
export function broughtInjections(conversation: ConversationSnapshot): readonly BroughtInjections[] {
  let brought = broughtIn.get(conversation);
  if (!brought) {
    brought = [...inResults(conversation), ...inUserMessages(conversation)].sort((a, b) => a.index - b.index);
    broughtIn.set(conversation, brought);
  }
  return brought;
}

/** Returns the injections found in tool results without the cues of some families, for benchmarks. */
export const injectionsInResults = (conversation: ConversationSnapshot, withheld: ReadonlySet<Family>) =>
  inResults(conversation, withheld);

function inResults(conversation: ConversationSnapshot, withheld?: ReadonlySet<Family>): BroughtInjections[] {
  const exchanges = toolExchanges(conversation);
  const tools = new Set(exchanges.map(({ name }) => name));
  const seen = new Set<string>();
  let request: UserRequest | undefined;
  return exchanges.flatMap((exchange, at) => {
    const text = exchange.result;
    if (text === null || text.length < SHORTEST || seen.has(text)) return [];
    seen.add(text);
    const injections = readInjections(text, "tool", {
      tools,
      ...(withheld && { withheld }),
      request: () => (request ??= askedFor(saidByUser(conversation))),
      wrote: () => writtenBefore(conversation, exchanges, at),
    });
    if (injections.length === 0) return [];
    return [
      {
        carrier: "tool" as const,
        tool: exchange.name,
        index: exchange.resultIndex ?? exchange.callIndex ?? conversation.messages.length,
        text,
        injections,
        quote: (start: number, end: number) => quoteExchange(conversation, exchange, start, end),
      },
    ];
  });
}

const saidByUser = ({ messages }: ConversationSnapshot): string =>
  messages.filter(isByUser).map(textOf).join("\n").slice(0, SAID_READ);

/** Characters. */
const SAID_READ = 50_000;
const WRITTEN_READ = 3000;
/** Messages and calls before a result. */
const WRITTEN_MAXIMUM = 12;

/** Returns what the agent last wrote up to and including a call, because results repeat its own words. */
function writtenBefore({ messages }: ConversationSnapshot, exchanges: readonly ToolExchange[], at: number): string[] {
  const until = exchanges[at]!.resultIndex ?? exchanges[at]!.callIndex ?? messages.length;
  const said = messages
    .slice(Math.max(0, until - WRITTEN_MAXIMUM), until)
    .filter(({ role }) => role === "assistant")
    .map(textOf);
  const sent = exchanges.slice(Math.max(0, at + 1 - WRITTEN_MAXIMUM), at + 1).map((exchange) => exchange.arguments);
  return [...said, ...sent].map((text) => text.slice(0, WRITTEN_READ));
}

/** Characters. */
const SHORTEST = 12;

function inUserMessages({ messages }: ConversationSnapshot): BroughtInjections[] {
  return messages.flatMap((message, index) => {
    if (!isByUser(message)) return [];
    const text = textOf(message);
    if (text.length < SHORTEST) return [];
    const injections = readInjections(text, "user");
    if (injections.length === 0) return [];
    return [
      {
        carrier: "user" as const,
        tool: null,
        index,
        text,
        injections,
        quote: (start: number, end: number) => quoteMessage(messages, index, start, end),
      },
    ];
  });
}
