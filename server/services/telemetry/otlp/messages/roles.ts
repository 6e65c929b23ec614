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

/** Returns one of our four roles for a vendor's name; an unknown role is returned as sent. */
export function roleOf(value: unknown): string | undefined {
  if (typeof value !== "string" || value === "") return undefined;
  if (PLAIN.has(value)) return value;
  const lower = value.toLowerCase();
  return ROLES.get(lower) ?? (PLAIN.has(lower) ? lower : value);
}

/** Returns the role that the `type` of a LangChain message implies. */
export function roleOfType(type: unknown): string | undefined {
  if (typeof type !== "string") return undefined;
  const lower = type.toLowerCase();
  return ROLES.get(lower) ?? (PLAIN.has(lower) ? lower : undefined);
}
