import { CODEX } from "../conventions/codex";
import { LAMINAR } from "../conventions/laminar";
import { LANGCHAIN } from "../conventions/langchain";
import { LANGFUSE } from "../conventions/langfuse";
import { LANGSMITH } from "../conventions/langsmith";
import { LANGWATCH } from "../conventions/langwatch";
import { OPENINFERENCE } from "../conventions/openinference";
import { OPENLLMETRY } from "../conventions/openllmetry";
import { OPENTELEMETRY } from "../conventions/opentelemetry";
import { VERCEL_AI_SDK } from "../conventions/vercel-ai-sdk";
import { WEAVE } from "../conventions/weave";
import { ID_CHARACTERS_MAX, type IdReader, onlyIds } from "../readers/ids";
import { sourcesOf } from "../readers/precedence";
import { textOf } from "../readers/reader";
import type { Attributes, LogRecord, SpanRecord, TraceIdentity } from "../types";
import { isPlaceholder } from "./placeholder-ids";

/** What was set for a conversation before what spans have in passing; metadata and names with another meaning come last. */
const TRUST = {
  first: [LANGFUSE, OPENINFERENCE, OPENTELEMETRY, OPENLLMETRY, LAMINAR, LANGWATCH, LANGSMITH, WEAVE, VERCEL_AI_SDK],
  last: [LANGCHAIN, CODEX],
};

/** The client's own id of the conversation, in order of trust. */
export const CONVERSATION_ID: readonly IdReader[] = sourcesOf("conversationId", TRUST).map(onlyIds);

/** Resource attributes, which all spans of a process share: least trusted. */
const RESOURCE_CONVERSATION_ID: readonly IdReader[] = sourcesOf("resourceConversationId").map(onlyIds);

/** The end user's id. */
export const USER_ID: readonly IdReader[] = sourcesOf("userId", TRUST).map(onlyIds);

/** Attributes that hold nothing but an id. */
const ID_NAMES: ReadonlySet<string> = new Set(
  [...CONVERSATION_ID, ...USER_ID]
    .filter(({ inObject, ambiguous }) => !inObject && !ambiguous)
    .flatMap(({ takes }) => takes),
);
const RESOURCE_ID_NAMES: ReadonlySet<string> = new Set(RESOURCE_CONVERSATION_ID.flatMap(({ takes }) => takes));

/** Text under an id's name that is no id, and how many items of a batch have it. */
export type IgnoredId = { attribute: string; value: string; items: number };

const IGNORED_MAX = 20;
const IGNORED_CHARACTERS = 100;
/** Bounds what is counted: a client may send another placeholder with every span. */
const IGNORED_DISTINCT_MAX = 1000;

/** Returns what the spans or log records of a batch have under an id's name that is no id, the most frequent first. */
export function ignoredIdsOf(items: readonly { attributes: Attributes; resource: Attributes }[]): IgnoredId[] {
  const found = new Map<string, IgnoredId>();
  for (const { attributes, resource } of items) {
    for (const attribute of ID_NAMES) {
      const sent = textOf(
        attributes[attribute] ?? (RESOURCE_ID_NAMES.has(attribute) ? resource[attribute] : undefined),
      );
      if (sent === undefined || sent.length > ID_CHARACTERS_MAX || !isPlaceholder(sent)) continue;
      const value = sent.slice(0, IGNORED_CHARACTERS).toWellFormed();
      const known = found.get(`${attribute} ${value}`);
      if (known) known.items++;
      else if (found.size < IGNORED_DISTINCT_MAX) found.set(`${attribute} ${value}`, { attribute, value, items: 1 });
    }
  }
  return [...found.values()].sort((a, b) => b.items - a.items).slice(0, IGNORED_MAX);
}

type Candidate = { rank: number; depth: 0 | 1 | 2; timeUs: number; order: string; id: string };

/**
 * Resolves the conversation and user of spans and logs, added in any order. The most trusted name wins; for one name the root
 * span's value, then the earliest.
 */
export class IdentityFold {
  private conversation: Candidate | null = null;
  private user: Candidate | null = null;

  addSpan(span: SpanRecord): void {
    const depth = span.parentSpanId === null ? 0 : 1;
    this.add(span.attributes, span.resource, depth, span.startedUs, span.spanId);
  }

  addLog(log: LogRecord): void {
    this.add(log.attributes, log.resource, 2, log.timeUs, log.spanId ?? "");
  }

  /** Returns a copy that continues independently. */
  copy(): IdentityFold {
    const fold = new IdentityFold();
    fold.conversation = this.conversation;
    fold.user = this.user;
    return fold;
  }

  identity(): TraceIdentity {
    return { externalId: this.conversation?.id ?? null, userId: this.user?.id ?? null };
  }

  private add(attributes: Attributes, resource: Attributes, depth: 0 | 1 | 2, timeUs: number, order: string): void {
    const take = (best: Candidate | null, readers: readonly IdReader[], from: Attributes, offset: number) => {
      const limit = best === null ? readers.length : Math.min(readers.length, best.rank - offset + 1);
      for (let rank = 0; rank < limit; rank++) {
        const id = readers[rank]?.read(from);
        if (id === undefined) continue;
        const candidate = { rank: rank + offset, depth, timeUs, order, id };
        return best === null || comesFirst(candidate, best) ? candidate : best;
      }
      return best;
    };
    this.conversation = take(this.conversation, CONVERSATION_ID, attributes, 0);
    this.conversation = take(this.conversation, RESOURCE_CONVERSATION_ID, resource, CONVERSATION_ID.length);
    this.user = take(this.user, USER_ID, attributes, 0);
  }
}

function comesFirst(one: Candidate, other: Candidate): boolean {
  if (one.rank !== other.rank) return one.rank < other.rank;
  if (one.depth !== other.depth) return one.depth < other.depth;
  if (one.timeUs !== other.timeUs) return one.timeUs < other.timeUs;
  if (one.order !== other.order) return one.order < other.order;
  return one.id < other.id;
}

/** Returns the conversation and user of a trace according to these spans and logs, independent of their order. */
export function resolveTraceIdentity(spans: readonly SpanRecord[], logs: readonly LogRecord[]): TraceIdentity {
  const fold = new IdentityFold();
  for (const span of spans) fold.addSpan(span);
  for (const log of logs) fold.addLog(log);
  return fold.identity();
}
