import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import type { ModelDialect } from "./dialect";
import { errorBody, requireRefusal } from "./failure";
import type { ResponsesFields } from "./responses-fields";
import type { Turn } from "./turn-memory";
import { createTurn } from "./turn-of-stream";
import {
  callItem,
  endOf,
  messageItem,
  newId,
  newResponse,
  type OutputItem,
  reasoningItem,
  summaryPart,
  textPart,
} from "./write-response";

type Asked = {
  asked: ResponsesFields;
  model: string;
  dialect: ModelDialect;
  host: string;
  remember: (turn: Turn) => void;
};

/** An event without the number that its place in the stream gives it. */
type Event = { type: string } & Record<string, unknown>;
type Item = { index: number; id: string; said: string };

/** The events of items of an answer; they are numbered in the order in which they begin. */
function createOutput() {
  const output: OutputItem[] = [];
  const open = new Map<string, Item & { events: ItemEvents }>();
  const begun = (id: string): Item => ({ index: output.length, id, said: "" });

  function* begin(key: string, events: ItemEvents): Generator<Event> {
    const item = { ...begun(newId(events.prefix)), events };
    open.set(key, item);
    // Its place is taken; what it says is written at its end.
    output.push(events.item(item));
    yield { type: "response.output_item.added", output_index: item.index, item: events.added(item) };
    yield* events.begin(item);
  }
  return {
    output,
    begin,
    has: (key: string) => open.has(key),
    saidOf: (key: string) => open.get(key)?.said ?? "",
    *say(key: string, delta: string): Generator<Event> {
      const item = open.get(key);
      if (item === undefined || delta === "") return;
      item.said += delta;
      yield item.events.delta(item, delta);
    },
    *end(key: string): Generator<Event> {
      const item = open.get(key);
      if (item === undefined) return;
      open.delete(key);
      const done = item.events.item(item);
      output[item.index] = done;
      yield* item.events.end(item);
      yield { type: "response.output_item.done", output_index: item.index, item: done };
    },
    keys: () => [...open.keys()],
  };
}

/** How an item of a kind begins, goes on and ends. */
type ItemEvents = {
  prefix: "msg" | "rs" | "fc";
  /** As it is announced, before it says anything. */
  added: (item: Item) => object;
  begin: (item: Item) => Event[];
  delta: (item: Item, delta: string) => Event;
  end: (item: Item) => Event[];
  item: (item: Item) => OutputItem;
};

const placeOf = ({ id, index }: Item) => ({ item_id: id, output_index: index });
const inMessage = (item: Item) => ({ ...placeOf(item), content_index: 0 });
const inSummary = (item: Item) => ({ ...placeOf(item), summary_index: 0 });

const MESSAGE: ItemEvents = {
  prefix: "msg",
  added: ({ id }) => ({ ...messageItem(id, ""), status: "in_progress", content: [] }),
  begin: (item) => [{ type: "response.content_part.added", ...inMessage(item), part: textPart("") }],
  delta: (item, delta) => ({ type: "response.output_text.delta", ...inMessage(item), delta, logprobs: [] }),
  end: (item) => [
    { type: "response.output_text.done", ...inMessage(item), text: item.said, logprobs: [] },
    { type: "response.content_part.done", ...inMessage(item), part: textPart(item.said) },
  ],
  item: ({ id, said }) => messageItem(id, said),
};

const REASONING: ItemEvents = {
  prefix: "rs",
  added: ({ id }) => ({ ...reasoningItem(id, ""), summary: [] }),
  begin: (item) => [{ type: "response.reasoning_summary_part.added", ...inSummary(item), part: summaryPart("") }],
  delta: (item, delta) => ({ type: "response.reasoning_summary_text.delta", ...inSummary(item), delta }),
  end: (item) => [
    { type: "response.reasoning_summary_text.done", ...inSummary(item), text: item.said },
    { type: "response.reasoning_summary_part.done", ...inSummary(item), part: summaryPart(item.said) },
  ],
  item: ({ id, said }) => reasoningItem(id, said),
};

const callEvents = (call_id: string, name: string): ItemEvents => {
  const item = ({ id, said }: Item) => callItem(id, { call_id, name, arguments: said });
  return {
    prefix: "fc",
    added: (one) => ({ ...item({ ...one, said: "" }), status: "in_progress" }),
    begin: () => [],
    delta: (one, delta) => ({ type: "response.function_call_arguments.delta", ...placeOf(one), delta }),
    end: (one) => [{ type: "response.function_call_arguments.done", ...placeOf(one), name, arguments: one.said }],
    item,
  };
};

/** Yields a streamed answer as the events of a response of the OpenAI API. It ends early if the service's does. */
export async function* writeResponseEvents(
  parts: AsyncIterable<LanguageModelV4StreamPart>,
  { asked, model, dialect, host, remember }: Asked,
): AsyncGenerator<string> {
  const response = newResponse(asked, model);
  const { turn, text, call } = createTurn();
  const items = createOutput();
  const executed = new Set<string>();
  let [number, hasBegun, hasEnded] = [0, false, false];
  const written = (event: Event) =>
    `event: ${event.type}\ndata: ${JSON.stringify({ ...event, sequence_number: number++ })}\n\n`;
  function* begin() {
    if (hasBegun) return;
    hasBegun = true;
    for (const type of ["response.created", "response.in_progress"]) yield written({ type, response });
  }
  function* said(events: Iterable<Event>) {
    for (const event of events) {
      yield* begin();
      yield written(event);
    }
  }
  function* texts(kind: "text" | "reasoning", part: { type: string; id: string; delta?: string }) {
    const key = `${kind} ${part.id}`;
    if (part.delta && !items.has(key)) yield* items.begin(key, kind === "text" ? MESSAGE : REASONING);
    if (part.delta) yield* items.say(key, part.delta);
    if (part.type.endsWith("-end")) yield* items.end(key);
  }
  for await (const part of parts) {
    // What comes after it is read so that its connection can be used again.
    if (hasEnded) continue;
    switch (part.type) {
      case "response-metadata":
        if (part.id !== undefined && !hasBegun) response.id = part.id;
        response.model = part.modelId ?? response.model;
        break;
      case "raw":
        response.model = dialect.answeredBy?.(part.rawValue) ?? response.model;
        break;
      case "text-start":
      case "text-delta":
      case "text-end":
        text("text", part);
        yield* said(texts("text", part));
        break;
      case "reasoning-start":
      case "reasoning-delta":
      case "reasoning-end":
        text("reasoning", part);
        yield* said(texts("reasoning", part));
        break;
      case "tool-input-start":
        if (part.providerExecuted) executed.add(part.id);
        else yield* said(items.begin(part.id, callEvents(part.id, part.toolName)));
        break;
      case "tool-input-delta":
        if (!executed.has(part.id)) yield* said(items.say(part.id, part.delta));
        break;
      case "tool-call": {
        if (part.providerExecuted) break;
        call(part);
        const { toolCallId: id, toolName, input } = part;
        if (!items.has(id)) yield* said(items.begin(id, callEvents(id, toolName)));
        if (items.saidOf(id) === "") yield* said(items.say(id, input || "{}"));
        yield* said(items.end(id));
        break;
      }
      case "error": {
        requireRefusal(part.error, host);
        hasEnded = true;
        yield* begin();
        const { error } = errorBody(part.error);
        const failed = { code: error.code ?? "server_error", message: error.message };
        yield written({
          type: "response.failed",
          response: { ...response, status: "failed", error: failed, output: items.output },
        });
        break;
      }
      case "finish": {
        if (part.finishReason.unified === "interrupted") return;
        hasEnded = true;
        remember(turn);
        yield* begin();
        for (const key of items.keys()) yield* said(items.end(key));
        const end = endOf(part.finishReason, part.usage, dialect);
        yield written({ type: `response.${end.status}`, response: { ...response, output: items.output, ...end } });
        break;
      }
      default:
      // Sources, files and what the service's own tools do have no place in it.
    }
  }
}
