type PastedMessage = { role: string; content?: string | null };

const LINE = /^(system|user|assistant|tool)\s*:\s*/i;

/**
 * Parses pasted messages: a JSON array in the format of chat APIs, an object with `messages`, or lines that begin with a role.
 * Throws an error that explains what was expected.
 */
export function messagesOf(text: string): PastedMessage[] {
  const trimmed = text.trim();
  if (trimmed.startsWith("[") || trimmed.startsWith("{")) {
    const parsed = jsonOf(trimmed);
    const messages = Array.isArray(parsed) ? parsed : parsed.messages;
    if (Array.isArray(messages) && messages.length > 0) return messages as PastedMessage[];
    throw new Error("The JSON has no messages: paste an array, or an object with “messages”.");
  }
  const messages: { role: string; content: string }[] = [];
  for (const line of trimmed.split("\n")) {
    const role = LINE.exec(line);
    const last = messages.at(-1);
    if (role?.[1]) messages.push({ role: role[1].toLowerCase(), content: line.slice(role[0].length) });
    else if (last) last.content += `\n${line}`;
    else throw new Error("Start with a role, such as “user: Where is my order?”, or paste JSON.");
  }
  return messages;
}

function jsonOf(text: string): { messages?: unknown } | unknown[] {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`This is not valid JSON: ${error instanceof Error ? error.message : error}.`);
  }
}
