/** A part of a streamed completion: more text, its token count, or an error. */
export type Chunk = { text: string; tokens: number | null; error: string | null };

const DONE = "[DONE]";

function chunkOf(data: string): Chunk | null {
  const nothing: Chunk = { text: "", tokens: null, error: null };
  try {
    const { choices, usage, error } = JSON.parse(data);
    if (error) return { ...nothing, error: String(error.message ?? "The answer ended early.") };
    const text = choices?.[0]?.delta?.content;
    const tokens = usage?.completion_tokens;
    return {
      ...nothing,
      text: typeof text === "string" ? text : "",
      tokens: typeof tokens === "number" ? tokens : null,
    };
  } catch {
    return null;
  }
}

/** Reads the server-sent events of a completion, regardless of how the bytes are split. */
export async function* readChunks(body: AsyncIterable<string>): AsyncGenerator<Chunk> {
  let rest = "";
  for await (const piece of body) {
    rest += piece;
    const lines = rest.split(/\r?\n/);
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (!line.startsWith("data:")) continue;
      const data = line.slice("data:".length).trim();
      if (data === DONE) return;
      const chunk = chunkOf(data);
      if (chunk !== null) yield chunk;
    }
  }
}
