import type { Message } from "../../schemas";
import type { PlainMessage } from "../messages/plain-message";
import type { InternedMessages } from "./interned-messages";
import { EMPTY_LIST, type ListId } from "./list-tree";
import { toMs } from "./model-call";

/** A message with the span that contained it first. */
export type TracedMessage = Message & { traceId: string; spanId: string; at: number };

/** Input and output of one call. */
export type Exchange = {
  traceId: string;
  spanId: string;
  /** The inner agent that makes the call; null for the conversation's own. */
  agent: string | null;
  startedUs: number;
  endedUs: number;
  input: ListId;
  output: ListId;
};

type Placed = { variant: number; key: number; traceId: string; spanId: string; agent: string | null; atUs: number };

const BEFORE_ALL = -1;
const UNPLACED = -2;

/**
 * Rebuilds the messages of one conversation from exchanges ordered by start. Each call's input is matched against the messages
 * so far: those found again, in order, are history and are not repeated; the rest are new and are appended.
 *
 * Lists share prefixes, and the position of each prefix is cached, so that a resent history costs nothing.
 */
export function rebuildMessages(exchanges: readonly Exchange[], interned: InternedMessages): TracedMessage[] {
  const rebuilding = new Rebuilding(interned);
  for (const exchange of exchanges) rebuilding.add(exchange);
  return rebuilding.messages();
}

class Rebuilding {
  private readonly placed: Placed[] = [];
  /** Positions of messages by key, ascending. */
  private readonly positions = new Map<number, number[]>();
  /** Position of the last message of each list. */
  private readonly positionOfList: Int32Array;
  /** Traces that already contain a response to the message at a position. */
  private readonly answeredBy = new Map<number, Set<string>>();

  constructor(private readonly interned: InternedMessages) {
    this.positionOfList = new Int32Array(interned.lists.size).fill(UNPLACED);
    this.positionOfList[EMPTY_LIST] = BEFORE_ALL;
  }

  add(exchange: Exchange): void {
    const { traceId, input, output } = exchange;
    // An output without known input follows the last message.
    let position = input === EMPTY_LIST ? this.placed.length - 1 : this.placeInput(exchange);
    const outputs = this.interned.variantsOf(output);
    if (outputs.length === 0) return;
    if (this.isRepeatedPrompt(position, traceId)) position = this.repeatPrompt(exchange);
    this.placeOutput(position, outputs, exchange);
    const traces = this.answeredBy.get(position);
    if (traces) traces.add(traceId);
    else this.answeredBy.set(position, new Set([traceId]));
  }

  messages(): TracedMessage[] {
    return this.placed.map(({ variant, traceId, spanId, agent, atUs }) => {
      const { role, parts, toolCalls, toolCallId } = this.interned.message(variant);
      return { role, parts, toolCalls, toolCallId, traceId, spanId, agent, at: toMs(atUs) };
    });
  }

  /** Places the input and returns the position of its last message. */
  private placeInput({ input, traceId, spanId, agent, startedUs }: Exchange): number {
    const unplaced: ListId[] = [];
    let list = input;
    while (this.positionOfList[list] === UNPLACED) {
      unplaced.push(list);
      list = this.interned.lists.parentOf(list);
    }
    const there = this.placed.length; // messages that this call adds are not its own history
    let position = this.positionOfList[list] ?? BEFORE_ALL;
    let found = position;
    for (const step of unplaced.reverse()) {
      const variant = this.interned.lists.lastOf(step);
      const again = this.nextPosition(this.interned.keyOf(variant), found, there);
      if (again !== undefined) {
        this.fillIn(again, variant);
        found = again;
        position = again;
      } else position = this.append({ variant, traceId, spanId, agent, atUs: startedUs });
      this.positionOfList[step] = position;
    }
    return position;
  }

  private placeOutput(position: number, outputs: readonly number[], exchange: Exchange): void {
    const { traceId, spanId, agent, endedUs } = exchange;
    let at = position;
    const there = this.placed.length;
    for (const variant of outputs) {
      const key = this.interned.keyOf(variant);
      // The same response at the next position is this one, reported twice.
      const repeated = at + 1 < there && this.placed[at + 1]?.key === key;
      if (repeated) this.fillIn(++at, variant);
      else at = this.append({ variant, traceId, spanId, agent, atUs: endedUs });
    }
  }

  /** A user message that was already answered and appears in another trace was sent again; it is not history. */
  private isRepeatedPrompt(position: number, traceId: string): boolean {
    const traces = this.answeredBy.get(position);
    return traces !== undefined && !traces.has(traceId) && this.roleAt(position) === "user";
  }

  /** Appends the trailing user messages of the input again. */
  private repeatPrompt({ input, traceId, spanId, agent, startedUs }: Exchange): number {
    const prompt: number[] = [];
    for (let list = input; list !== EMPTY_LIST; list = this.interned.lists.parentOf(list)) {
      const variant = this.interned.lists.lastOf(list);
      if (this.interned.message(variant).role !== "user") break;
      prompt.push(variant);
    }
    let position = this.placed.length - 1;
    for (const variant of prompt.reverse())
      position = this.append({ variant, traceId, spanId, agent, atUs: startedUs });
    this.positionOfList[input] = position;
    return position;
  }

  private roleAt(position: number): string | undefined {
    const placed = this.placed[position];
    return placed && this.interned.message(placed.variant).role;
  }

  private append({ variant, ...from }: Omit<Placed, "key">): number {
    const key = this.interned.keyOf(variant);
    const position = this.placed.push({ variant, key, ...from }) - 1;
    const positions = this.positions.get(key);
    if (positions) positions.push(position);
    else this.positions.set(key, [position]);
    return position;
  }

  /** Returns the first position between `after` and `before` (exclusive) of a message with this key. */
  private nextPosition(key: number, after: number, before: number): number | undefined {
    const positions = this.positions.get(key);
    if (!positions) return undefined;
    let low = 0;
    let high = positions.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((positions[middle] ?? 0) <= after) low = middle + 1;
      else high = middle;
    }
    const position = positions[low];
    return position !== undefined && position < before ? position : undefined;
  }

  /**
   * Replaces a message with its repeat if the repeat has more ids: some clients omit tool call ids at first and send them
   * later.
   */
  private fillIn(position: number, variant: number): void {
    const placed = this.placed[position];
    if (!placed || placed.variant === variant) return;
    const there = this.interned.message(placed.variant);
    if (there.toolCallId === null && there.toolCalls.every((call) => call.id !== null) && there.role !== "tool") return;
    if (idsOf(this.interned.message(variant)) > idsOf(there)) placed.variant = variant;
  }
}

const idsOf = (message: PlainMessage) =>
  message.toolCalls.filter((call) => call.id !== null).length + (message.toolCallId === null ? 0 : 1);
