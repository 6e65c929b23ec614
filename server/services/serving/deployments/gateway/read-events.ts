const LINE_END = /\r\n|\n|\r/;

/** Yields the data of each server-sent event. Comments and other fields are skipped. */
export async function* readEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  let data: string[] = [];
  function* lines(text: string, isEnd: boolean): Generator<string> {
    const parts = (rest + text).split(LINE_END);
    // A carriage return at the end may be the first half of a CRLF.
    rest = isEnd ? "" : (parts.pop() ?? "");
    for (const line of parts) {
      if (line.startsWith("data:")) data.push(line.slice(5).replace(/^ /, ""));
      if (line !== "" || data.length === 0) continue;
      yield data.join("\n");
      data = [];
    }
  }
  for await (const chunk of body) yield* lines(decoder.decode(chunk, { stream: true }), false);
  yield* lines(`${decoder.decode()}\n\n`, true);
}
