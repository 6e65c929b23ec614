import { mergeByCause } from "../detectors/reading/evidence";
import { type Readings, type RuleConfiguration, type RuleOccurrence, signalsInPart } from "../rules";
import type { ConversationSnapshot, Evidence, Rule, SnapshotModelCall } from "../types";
import { copied } from "./copied";
import { Earlier, type Range } from "./earlier";

/** A part of a long conversation. Positions are those in the snapshot that is read. */
export type Window = {
  conversation: ConversationSnapshot;
  /** Position of each message; `null` for one of a digest. */
  positions: readonly (number | null)[];
  owns: Range;
  /** Position of the first message that the next window reads; `null` in the last. */
  nextFrom: number | null;
  isLast: boolean;
  /** Position of the message that a call belongs to, by its span. */
  callPositions: ReadonlyMap<string, number>;
};

export type ConfiguredRule = { rule: Rule; configuration: Pick<RuleConfiguration, "keywords" | "signalOverrides"> };

/** What one Rule finds, with evidence by message position in the snapshot, or the error with which it failed. */
export type Found = { signals: RuleOccurrence[] } | { error: unknown };

/** Reads a long conversation window by window, for several Rules at once, and merges what they find. Pure. */
export class WindowedReading {
  private readonly found: Found[];
  private readonly earlier = new Earlier();
  private readonly calls: SnapshotModelCall[] = [];
  private readonly named = new Map<string, string>();
  private last: ConversationSnapshot | null = null;

  constructor(private readonly rules: readonly ConfiguredRule[]) {
    this.found = rules.map(() => ({ signals: [] }));
  }

  /** Reads the next window. */
  add(window: Window) {
    const before = withEarlier(window, this.earlier.messages());
    const none = { anywhere: null, before: null, end: null, calls: null };
    this.detect(window, { ...none, anywhere: window.conversation, end: window.isLast ? window.conversation : null });
    this.detect(before, { ...none, before: before.conversation });

    const { owns, callPositions, positions, conversation } = window;
    this.earlier.add(conversation, owns, (place) =>
      typeof place === "number" ? (positions[place] ?? null) : (callPositions.get(place ?? "") ?? null),
    );
    for (const call of conversation.modelCalls) {
      const position = callPositions.get(call.spanId);
      if (position === undefined || (position >= owns.from && position < owns.to)) this.calls.push(this.reduced(call));
    }
    this.last = { ...conversation, messages: [], modelCalls: [], toolCalls: [], feedback: [] };
  }

  /** Reads the calls of the whole conversation, and returns what each Rule found. */
  finish(): readonly Found[] {
    if (this.last) {
      const calls = { ...this.last, modelCalls: this.calls };
      const readings = { anywhere: null, before: null, end: null, calls };
      this.each(({ rule, configuration }) =>
        signalsInPart(rule, readings, configuration).flatMap(({ signals }) => signals),
      );
    }
    return this.found;
  }

  private detect(window: Window, readings: Readings) {
    this.each(({ rule, configuration }) =>
      signalsInPart(rule, readings, configuration).flatMap(({ reads, signals }) =>
        signals.flatMap((signal) => ownSignal(signal, window, reads === "end")),
      ),
    );
  }

  private each(read: (rules: ConfiguredRule) => RuleOccurrence[]) {
    for (const [nth, rules] of this.rules.entries()) {
      const known = this.found[nth]!;
      if ("error" in known) continue;
      try {
        const signals = mergeByCause([...known.signals, ...read(rules)], ({ signal, cause }) => `${signal} ${cause}`);
        this.found[nth] = { signals };
      } catch (error) {
        this.found[nth] = { error };
      }
    }
  }

  /** Returns only what detectors of costs read, to save memory: a conversation may have as many calls as messages. */
  private reduced(call: SnapshotModelCall): SnapshotModelCall {
    const shared = (text: string) => {
      const known = this.named.get(text);
      if (known === undefined) this.named.set(text, text);
      return known ?? text;
    };
    const { spanId, traceId, status, costTotal, startedAt, endedAt } = call;
    const requestedModel = call.requestedModel && shared(call.requestedModel);
    const responseModel = call.responseModel && shared(call.responseModel);
    const provider = call.provider && shared(call.provider);
    const rest = { finishReasons: NO_REASONS, usage: null, error: null, name: shared(call.name) };
    return {
      ...{ spanId, traceId: shared(traceId), status, costTotal, startedAt, endedAt },
      ...{ requestedModel, responseModel, provider },
      ...rest,
    };
  }
}

const NO_REASONS: string[] = [];

/** Inserts a digest of what came before between the context that a window begins with and its own messages. */
function withEarlier(window: Window, earlier: SnapshotMessages): Window {
  if (earlier.length === 0) return window;
  const { conversation, positions } = window;
  const jump = positions.findIndex((position, index) => index > 0 && position !== positions[index - 1]! + 1);
  const at = Math.max(0, jump);
  const insert = <T>(list: readonly T[], items: readonly T[]) => [...list.slice(0, at), ...items, ...list.slice(at)];
  return {
    ...window,
    // Feedback refers to messages by index, and no detector that reads what came before reads feedback.
    conversation: { ...conversation, messages: insert(conversation.messages, earlier), feedback: [] },
    positions: insert(
      positions,
      earlier.map(() => null),
    ),
  };
}
type SnapshotMessages = ConversationSnapshot["messages"];

/**
 * Returns a Signal with the positions of its evidence, if it belongs to the window: if the window owns the last message of its
 * evidence. So does a Signal that begins before the next window and continues past what this one owns, because no other window
 * sees all of it. Evidence without a message is located at its call; a Signal without any position is kept.
 */
function ownSignal(signal: RuleOccurrence, window: Window, isWhole: boolean): RuleOccurrence[] {
  const { owns, nextFrom, positions, callPositions } = window;
  const places: number[] = [];
  const evidence: Evidence[] = [];
  for (const one of signal.evidence) {
    const position = one.messageIndex === null ? null : (positions[one.messageIndex] ?? null);
    // A message of the digest has no position.
    if (one.messageIndex !== null && position === null) continue;
    evidence.push({ ...one, quote: copied(one.quote), messageIndex: position });
    const place = position ?? callPositions.get(one.spanId ?? "");
    if (place !== undefined) places.push(place);
  }
  if (evidence.length === 0 && signal.evidence.length > 0) return [];
  const located = { ...signal, evidence };
  if (isWhole || places.length === 0) return [located];
  const [first, last] = [Math.min(...places), Math.max(...places)];
  const isOwn = last >= owns.from && last < owns.to;
  const isOnlyHere = last >= owns.to && nextFrom !== null && first < nextFrom;
  return isOwn || isOnlyHere ? [located] : [];
}
