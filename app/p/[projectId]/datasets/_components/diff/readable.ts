/** One part of a payload in readable form: a message, the tools, the weight. */
type ReadablePart = { label: string; text: string };

type Fields = Record<string, unknown>;
const fieldsOf = (value: unknown): Fields => (typeof value === "object" && value !== null ? (value as Fields) : {});
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

const ROLES: Record<string, string> = {
  user: "User",
  assistant: "Assistant",
  tool: "Tool result",
  system: "System",
  developer: "Developer",
};

function messageText(message: unknown): string {
  const { content, tool_calls, tool_call_id, weight } = fieldsOf(message);
  const calls = listOf(tool_calls).map((call) => {
    const { name, arguments: given } = fieldsOf(fieldsOf(call).function);
    return `${String(name ?? "")}(${String(given ?? "")}) #${String(fieldsOf(call).id ?? "")}`;
  });
  const lines = [
    ...(typeof tool_call_id === "string" ? [`#${tool_call_id}`] : []),
    ...(typeof content === "string" && content !== "" ? [content] : []),
    ...calls,
    ...(weight === undefined ? [] : [`Weight: ${String(weight)}`]),
  ];
  return lines.join("\n");
}

/** Returns a payload as labelled blocks of text: its messages in order, then the answers, then everything else. */
export function readableParts(payload: unknown): ReadablePart[] {
  if (payload === null || payload === undefined) return [];
  const { input, expectedOutput, rejectedOutput } = fieldsOf(payload);
  const { messages, tools } = fieldsOf(input);
  const { weight } = fieldsOf(expectedOutput);
  return [
    ...listOf(messages).map((message, index) => {
      const { role } = fieldsOf(message);
      return { label: `Message ${index + 1}, ${ROLES[String(role)] ?? String(role)}`, text: messageText(message) };
    }),
    { label: "Expected output", text: messageText(fieldsOf(expectedOutput).message) },
    ...(rejectedOutput === undefined
      ? []
      : [{ label: "Rejected output", text: messageText(fieldsOf(rejectedOutput).message) }]),
    ...(weight === undefined ? [] : [{ label: "Weight", text: String(weight) }]),
    ...(tools === undefined ? [] : [{ label: "Tools", text: JSON.stringify(tools, null, 2) }]),
  ];
}

type ChangedPart = { label: string; before: string; after: string };

/** Returns the parts that differ, in order, and the number of those that do not. */
export function changedParts(before: readonly ReadablePart[], after: readonly ReadablePart[]) {
  const labels = [...new Set([...before, ...after].map(({ label }) => label))];
  const textIn = (parts: readonly ReadablePart[], label: string) =>
    parts.find((part) => part.label === label)?.text ?? "";
  const all = labels.map((label) => ({ label, before: textIn(before, label), after: textIn(after, label) }));
  const changed: ChangedPart[] = all.filter((part) => part.before !== part.after);
  return { changed, unchanged: all.length - changed.length };
}
