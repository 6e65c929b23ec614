import { isPlaceholder } from "./placeholder-ids";
import { jsonText, objectIn, type Reader, text, textOf } from "./readers/reader";
import type { Attributes, LogRecord, SpanRecord, TraceIdentity } from "./types";

/** The client's own id of the conversation, in order of trust. */
export const CONVERSATION_ID: readonly Reader<string>[] = [
  idIn("langfuse.session.id"),
  idIn("session.id"), // OpenInference, and general OpenTelemetry
  idIn("gen_ai.conversation.id"), // OpenTelemetry GenAI
  idIn("gen_ai.session.id"),
  idIn("traceloop.association.properties.session_id"), // OpenLLMetry: names are free-form, these are common
  idIn("traceloop.association.properties.conversation_id"),
  idIn("traceloop.association.properties.thread_id"),
  idIn("lmnr.association.properties.session_id"), // Laminar
  idIn("langwatch.thread.id"),
  idIn("langsmith.metadata.thread_id"), // LangSmith; its `langsmith.trace.session_id` is the id of a project
  idIn("langsmith.metadata.session_id"),
  idIn("langsmith.metadata.conversation_id"),
  idIn("wandb.thread_id"),
  idIn("ai.telemetry.metadata.sessionId"), // Vercel AI SDK
  idIn("ai.telemetry.metadata.threadId"),
  idIn("ai.settings.context.sessionId"), // its version 7
  idIn("ai.settings.context.threadId"),
  idInJson("metadata", "session_id", "thread_id", "conversation_id"), // LangChain through OpenInference
  notNumeric(idIn("thread.id")), // Codex; elsewhere it is the number of an OS thread
];

/** Resource attributes, which all spans of a process share: least trusted. */
export const RESOURCE_CONVERSATION_ID: readonly Reader<string>[] = [idIn("session.id")];

/** The end user's id. */
export const USER_ID: readonly Reader<string>[] = [
  idIn("langfuse.user.id"),
  idIn("user.id"),
  idIn("enduser.id"), // its older name
  idIn("traceloop.association.properties.user_id"),
  idIn("lmnr.association.properties.user_id"),
  idIn("langwatch.user.id"),
  idIn("langsmith.metadata.user_id"),
  idIn("ai.telemetry.metadata.userId"),
  idIn("ai.settings.context.userId"),
  idInJson("metadata", "user_id"),
  idIn("gen_ai.user"), // OpenLLMetry: the request's own `user`
  idIn("gen_ai.request.user"), // OpenLIT
  idIn("llm.user"), // LiteLLM
  onlyIds(jsonText("mlflow.trace.user")),
];

/** Attributes that hold nothing but an id; `thread.id` usually is the number of an OS thread. */
const ID_NAMES: readonly string[] = [...CONVERSATION_ID, ...USER_ID]
  .flatMap(({ takes }) => takes)
  .filter((name, index, all) => name !== "metadata" && name !== "thread.id" && all.indexOf(name) === index);

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
      const sent = textOf(attributes[attribute] ?? (attribute === "session.id" ? resource[attribute] : undefined));
      if (sent === undefined || sent.length > ID_CHARACTERS_MAX || !isPlaceholder(sent)) continue;
      const value = sent.slice(0, IGNORED_CHARACTERS).toWellFormed();
      const known = found.get(`${attribute} ${value}`);
      if (known) known.items++;
      else if (found.size < IGNORED_DISTINCT_MAX) found.set(`${attribute} ${value}`, { attribute, value, items: 1 });
    }
  }
  return [...found.values()].sort((a, b) => b.items - a.items).slice(0, IGNORED_MAX);
}

/** A scrubber's replacement for an id. */
const SCRUBBED = /^\[scrubbed\b/i;

/** Longer text is content under an id's name, and would exceed the size of an index entry. */
const ID_CHARACTERS_MAX = 1000;
const ID_BYTES_MAX = 2000;
const isId = (text: string) =>
  text.length <= ID_CHARACTERS_MAX &&
  Buffer.byteLength(text) <= ID_BYTES_MAX &&
  !SCRUBBED.test(text) &&
  !isPlaceholder(text);

/** Reads what a client sent as an id, unless it cannot be one. */
function onlyIds({ takes, read }: Reader<string>): Reader<string> {
  return {
    takes,
    read: (attributes) => {
      const found = read(attributes);
      return found !== undefined && isId(found) ? found : undefined;
    },
  };
}

function idIn(name: string): Reader<string> {
  return onlyIds(text(name));
}

/** Reads an id inside an attribute that holds a JSON object: that of the first of `keys` that has one. */
function idInJson(name: string, ...keys: string[]): Reader<string> {
  return {
    takes: [name],
    read: (attributes) => {
      const object = objectIn(attributes[name]);
      return object && keys.map((key) => textOf(object[key])).find((found) => found !== undefined && isId(found));
    },
  };
}

function notNumeric({ takes, read }: Reader<string>): Reader<string> {
  return {
    takes,
    read: (attributes) => {
      const value = read(attributes);
      return value !== undefined && /\D/.test(value) ? value : undefined;
    },
  };
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
    const take = (best: Candidate | null, readers: readonly Reader<string>[], from: Attributes, offset: number) => {
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
