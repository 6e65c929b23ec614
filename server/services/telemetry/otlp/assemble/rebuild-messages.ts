import type { Message } from "../../schemas";
import type { PlainMessage } from "../messages/plain-message";
import type { InternedMessages } from "./interned-messages";
import { EMPTY_LIST, type ListId } from "./list-tree";
import { toMs } from "./model-call";

/** With the trace that brought it first. */
type TracedMessage = Message & { traceId: string };

/** What went into one call, and what came out. */
export type Exchange = {
  traceId: string;
  spanId: string;
  startedUs: number;
  endedUs: number;
  input: ListId;
  output: ListId;
};

type Placed = { variant: number; key: number; traceId: string; spanId: string; atUs: number };

const BEFORE_ALL = -1;
const UNPLACED = -2;

/**
 * Rebuilds one conversation from exchanges in the order in which they began. Each call's input is laid over what is there
 * already: what is found again, in order, is history and is not repeated; the rest is new and follows at the end.
 *
 * Lists share their beginnings, and where a beginning was placed is remembered, so a resent history costs nothing again.
 */
export function rebuildMessages(exchanges: readonly Exchange[], interned: InternedMessages): TracedMessage[] {
  const rebuilding = new Rebuilding(interned);
  for (const exchange of exchanges) rebuilding.add(exchange);
  return rebuilding.messages();
}

class Rebuilding {
  private readonly placed: Placed[] = [];
  /** Where each message is, by what it says: ascending. */
  private readonly places = new Map<number, number[]>();
  /** Where the last message of a list was placed. */
  private readonly placeOfList: Int32Array;
  /** Traces that already answered the message at a place. */
  private readonly answeredBy = new Map<number, Set<string>>();

  constructor(private readonly interned: InternedMessages) {
    this.placeOfList = new Int32Array(interned.lists.size).fill(UNPLACED);
    this.placeOfList[EMPTY_LIST] = BEFORE_ALL;
  }

  add(exchange: Exchange): void {
    const { traceId, input, output } = exchange;
    // an answer to nobody knows what follows what was said last
    let place = input === EMPTY_LIST ? this.placed.length - 1 : this.placeInput(exchange);
    const answers = this.interned.variantsOf(output);
    if (answers.length === 0) return;
    if (this.isRepeatedPrompt(place, traceId)) place = this.repeatPrompt(exchange);
    this.placeOutput(place, answers, exchange);
    const traces = this.answeredBy.get(place);
    if (traces) traces.add(traceId);
    else this.answeredBy.set(place, new Set([traceId]));
  }

  messages(): TracedMessage[] {
    return this.placed.map(({ variant, traceId, spanId, atUs }) => {
      const { role, parts, toolCalls, toolCallId } = this.interned.message(variant);
      return { role, parts, toolCalls, toolCallId, traceId, spanId, at: toMs(atUs) };
    });
  }

  /** Answers where the last message of the input is. */
  private placeInput({ input, traceId, spanId, startedUs }: Exchange): number {
    const unplaced: ListId[] = [];
    let list = input;
    while (this.placeOfList[list] === UNPLACED) {
      unplaced.push(list);
      list = this.interned.lists.parentOf(list);
    }
    const there = this.placed.length; // what this call adds is not history to itself
    let place = this.placeOfList[list] ?? BEFORE_ALL;
    let found = place;
    for (const step of unplaced.reverse()) {
      const variant = this.interned.lists.lastOf(step);
      const again = this.nextPlace(this.interned.keyOf(variant), found, there);
      if (again !== undefined) {
        this.fillIn(again, variant);
        found = again;
        place = again;
      } else place = this.append({ variant, traceId, spanId, atUs: startedUs });
      this.placeOfList[step] = place;
    }
    return place;
  }

  private placeOutput(place: number, answers: readonly number[], { traceId, spanId, endedUs }: Exchange): void {
    let at = place;
    const there = this.placed.length;
    for (const variant of answers) {
      const key = this.interned.keyOf(variant);
      // the same answer at the very next place is this one, told twice
      const repeated = at + 1 < there && this.placed[at + 1]?.key === key;
      if (repeated) this.fillIn(++at, variant);
      else at = this.append({ variant, traceId, spanId, atUs: endedUs });
    }
  }

  /** The same words in another trace, after they were answered, are a person asking again and not a history. */
  private isRepeatedPrompt(place: number, traceId: string): boolean {
    const traces = this.answeredBy.get(place);
    return traces !== undefined && !traces.has(traceId) && this.roleAt(place) === "user";
  }

  /** Places the user's last words of the input again, at the end. */
  private repeatPrompt({ input, traceId, spanId, startedUs }: Exchange): number {
    const prompt: number[] = [];
    for (let list = input; list !== EMPTY_LIST; list = this.interned.lists.parentOf(list)) {
      const variant = this.interned.lists.lastOf(list);
      if (this.interned.message(variant).role !== "user") break;
      prompt.push(variant);
    }
    let place = this.placed.length - 1;
    for (const variant of prompt.reverse()) place = this.append({ variant, traceId, spanId, atUs: startedUs });
    this.placeOfList[input] = place;
    return place;
  }

  private roleAt(place: number): string | undefined {
    const placed = this.placed[place];
    return placed && this.interned.message(placed.variant).role;
  }

  private append({ variant, ...from }: Omit<Placed, "key">): number {
    const key = this.interned.keyOf(variant);
    const place = this.placed.push({ variant, key, ...from }) - 1;
    const places = this.places.get(key);
    if (places) places.push(place);
    else this.places.set(key, [place]);
    return place;
  }

  /** The first place after `after` and before `before` of a message that says the same. */
  private nextPlace(key: number, after: number, before: number): number | undefined {
    const places = this.places.get(key);
    if (!places) return undefined;
    let low = 0;
    let high = places.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((places[middle] ?? 0) <= after) low = middle + 1;
      else high = middle;
    }
    const place = places[low];
    return place !== undefined && place < before ? place : undefined;
  }

  /** Some clients lose the ids of tool calls where a call is first told, and have them when it is told again. */
  private fillIn(place: number, variant: number): void {
    const placed = this.placed[place];
    if (!placed || placed.variant === variant) return;
    const there = this.interned.message(placed.variant);
    if (there.toolCallId === null && there.toolCalls.every((call) => call.id !== null) && there.role !== "tool") return;
    if (idsOf(this.interned.message(variant)) > idsOf(there)) placed.variant = variant;
  }
}

const idsOf = (message: PlainMessage) =>
  message.toolCalls.filter((call) => call.id !== null).length + (message.toolCallId === null ? 0 : 1);
