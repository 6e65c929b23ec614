const ROLES = new Map([
  ["human", "user"],
  ["ai", "assistant"],
  ["aimessagechunk", "assistant"],
  ["model", "assistant"],
  ["bot", "assistant"],
  ["choice", "assistant"],
  ["developer", "system"],
  ["function", "tool"],
  ["systemmessage", "system"],
  ["humanmessage", "user"],
  ["aimessage", "assistant"],
  ["toolmessage", "tool"],
]);
const PLAIN = new Set(["system", "user", "assistant", "tool"]);

/** Our four roles by the names that vendors give them; a role that nobody knows survives. */
export function roleOf(value: unknown): string | undefined {
  if (typeof value !== "string" || value === "") return undefined;
  if (PLAIN.has(value)) return value;
  const lower = value.toLowerCase();
  return ROLES.get(lower) ?? (PLAIN.has(lower) ? lower : value);
}

/** The role that the `type` of a LangChain message implies. */
export function roleOfType(type: unknown): string | undefined {
  if (typeof type !== "string") return undefined;
  const lower = type.toLowerCase();
  return ROLES.get(lower) ?? (PLAIN.has(lower) ? lower : undefined);
}
