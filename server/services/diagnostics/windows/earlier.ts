import { isByUser, type Message, type MessagePart } from "@/server/services/telemetry/schemas";
import { wantedLanguage } from "../detectors/broken-response/language/wanted-language";
import { proseIn } from "../detectors/reading/prose";
import { textOf } from "../detectors/reading/text";
import { toolExchanges } from "../detectors/reading/tool-exchanges";
import type { ConversationSnapshot } from "../types";
import { copied } from "./copied";

/** Positions `[from, to)`. */
export type Range = { from: number; to: number };

/** Characters of a digest of what each side said; the oldest are dropped. */
const SAID_MAX = 512 * 1024;
/** Limits: characters of a result, newest results of a tool, and tools. */
const RESULT_READ = 2_000;
const RESULTS_OF_TOOL = 4;
const TOOLS_MAX = 200;
const REQUEST_MAX = 10_000;

/** Part of a value that an answer may repeat: a number, an address, a link, markup, or a token that nobody writes by hand. */
const TELLING = /[\d@<{[|%$\\]|\S{20}/;
/** Words on either side of such a part, which may belong to the same value, such as the month of a date. */
const AROUND = 3;

const SYSTEM_ROLES = new Set(["system", "developer"]);

/**
 * A digest, of bounded size, of what came before a window: the values that users, instructions and tools brought in, what
 * tools last returned, and which language was last requested. Detectors that report what nobody had said read it as messages.
 */
export class Earlier {
  private readonly said = { system: new Runs(), user: new Runs(), tool: new Runs() };
  private readonly results = new Map<string, string[]>();
  private languageRequest: Message | null = null;

  /** Adds what a window owns. `positionOf` returns the position of a message by its index, or of a call by its span. */
  add(conversation: ConversationSnapshot, owns: Range, positionOf: (place: number | string | null) => number | null) {
    const isOwn = (place: number | string | null) => {
      const position = positionOf(place);
      return position !== null && position >= owns.from && position < owns.to;
    };
    for (const [index, message] of conversation.messages.entries()) {
      if (isOwn(index)) this.addMessage(message, conversation.messages[index + 1]);
    }
    for (const { name, result, callIndex, resultIndex, spanId } of toolExchanges(conversation)) {
      if (result === null || !isOwn(resultIndex ?? callIndex ?? spanId)) continue;
      this.said.tool.add(result);
      this.addResult(name, copied(result.slice(0, RESULT_READ)));
    }
  }

  private addMessage(message: Message, next: Message | undefined) {
    const text = textOf(message);
    if (message.role === "assistant") {
      // What one agent tells the next is not an answer to the user.
      if (next?.role === "assistant") this.said.tool.add(text);
    } else if (isByUser(message)) {
      this.said.user.add(text);
      if (text.length <= REQUEST_MAX && wantedLanguage(proseIn(text))?.asked) this.languageRequest = message;
    } else this.said[SYSTEM_ROLES.has(message.role) ? "system" : "tool"].add(text);
  }

  private addResult(name: string, result: string) {
    const known = this.results.get(name)?.filter((one) => one !== result) ?? [];
    this.results.delete(name);
    this.results.set(name, [...known, result].slice(-RESULTS_OF_TOOL));
    if (this.results.size > TOOLS_MAX) this.results.delete(this.results.keys().next().value!);
  }

  /** Returns the digest as messages. The last one is the assistant's, so that what follows does not refer to the others. */
  messages(): Message[] {
    const messages = [
      ...SIDES.flatMap((side) => (this.said[side].isEmpty ? [] : [saying(side, this.said[side].text())])),
      ...[...this.results].flatMap(([name, results]) =>
        results.flatMap((result, nth) => exchangeOf(`earlier ${name} ${nth}`, name, result)),
      ),
      ...(this.languageRequest ? [this.languageRequest] : []),
    ];
    return messages.length > 0 ? [...messages, saying("assistant", "…")] : [];
  }
}

const SIDES = ["system", "user", "tool"] as const;

const saying = (role: string, text: string, more: MessagePart[] = []): Message => ({
  role,
  parts: [{ type: "text", text }, ...more],
  toolCalls: [],
  toolCallId: null,
  spanId: null,
  agent: null,
  at: null,
});

const exchangeOf = (id: string, name: string, result: string): Message[] => [
  { ...saying("assistant", ""), toolCalls: [{ id, name, arguments: "" }] },
  { ...saying("tool", result), toolCallId: id },
];

/** Distinct runs of words around those that `TELLING` matches; beyond a size, the oldest are dropped. */
class Runs {
  private readonly runs = new Set<string>();
  private size = 0;

  get isEmpty() {
    return this.runs.size === 0;
  }

  text(): string {
    return [...this.runs].join("\n");
  }

  add(text: string) {
    for (const whole of runsIn(text)) {
      const run = copied(whole.slice(0, SAID_MAX));
      if (this.runs.delete(run)) this.size -= run.length;
      this.runs.add(run);
      this.size += run.length;
    }
    for (const run of this.runs) {
      if (this.size <= SAID_MAX) break;
      this.runs.delete(run);
      this.size -= run.length;
    }
  }
}

function* runsIn(text: string): Generator<string> {
  if (!TELLING.test(text)) return;
  const words = text.split(/\s+/);
  let from = 0;
  let to = 0;
  for (const [at, word] of words.entries()) {
    if (!TELLING.test(word)) continue;
    const start = Math.max(0, at - AROUND);
    if (start > to) {
      if (to > from) yield words.slice(from, to).join(" ");
      from = start;
    }
    to = Math.min(words.length, at + AROUND + 1);
  }
  if (to > from) yield words.slice(from, to).join(" ");
}
