/** An event of a stream as it arrived. `data` is `null` for a comment, and for fields without data. */
export type StreamEvent = { text: string; data: string | null };

const EVENT_END = /\r?\n\r?\n|\r\r/g;
const LINE_END = /\r\n|\n|\r/;
/** An event may hold a generated image. */
const CHARACTERS_MAX = 64 * 1024 * 1024;
/** The longest end of an event, less one: it may be split between two chunks. */
const END_OVERLAP = 3;

function dataOf(text: string): string | null {
  const lines = text.split(LINE_END).filter((line) => line.startsWith("data:"));
  return lines.length === 0 ? null : lines.map((line) => line.slice("data:".length).replace(/^ /, "")).join("\n");
}

/** Yields each server-sent event with the text that it arrived as, so that it can be passed on unchanged. */
export async function* readEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<StreamEvent> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of body) {
    const searched = Math.max(0, rest.length - END_OVERLAP);
    rest += decoder.decode(chunk, { stream: true });
    EVENT_END.lastIndex = searched;
    let from = 0;
    for (let end = EVENT_END.exec(rest); end !== null; end = EVENT_END.exec(rest)) {
      // Shared by all streams, and another one may run while this one waits for its reader.
      const next = EVENT_END.lastIndex;
      const text = rest.slice(from, next);
      from = next;
      yield { text, data: dataOf(text) };
      EVENT_END.lastIndex = next;
    }
    rest = rest.slice(from);
    if (rest.length > CHARACTERS_MAX) throw new Error("An event of the stream is too long.");
  }
  rest += decoder.decode();
  if (rest.trim() !== "") yield { text: `${rest.trimEnd()}\n\n`, data: dataOf(rest) };
}
