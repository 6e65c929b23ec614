import type { LanguageModelV4StreamPart, SharedV4ProviderMetadata } from "@ai-sdk/provider";
import type { Turn } from "./turn-memory";
import { inputOf } from "./write-answer";

type StreamPart = LanguageModelV4StreamPart;

/** Collects what an assistant says, part by part, to send it back unchanged. */
export function createTurn() {
  const turn: Turn = [];
  const open = new Map<string, TextPart>();
  return {
    turn,
    text(type: "text" | "reasoning", { id, delta = "", providerMetadata }: TextEvent) {
      const key = `${type} ${id}`;
      const known = open.get(key);
      const part: TextPart = known ?? { type, text: "" };
      part.text += delta;
      if (providerMetadata) part.providerOptions = merged(part.providerOptions, providerMetadata);
      if (known) return;
      open.set(key, part);
      turn.push(part);
    },
    call({ toolCallId, toolName, input, providerMetadata }: Extract<StreamPart, { type: "tool-call" }>) {
      const options = providerMetadata && { providerOptions: providerMetadata };
      turn.push({ type: "tool-call", toolCallId, toolName, input: inputOf(input), ...options });
    },
  };
}
type TextPart = { type: "text" | "reasoning"; text: string; providerOptions?: SharedV4ProviderMetadata };
type TextEvent = { id: string; delta?: string; providerMetadata?: SharedV4ProviderMetadata };

const merged = (one: SharedV4ProviderMetadata | undefined, other: SharedV4ProviderMetadata) =>
  Object.fromEntries(
    Object.entries({ ...one, ...other }).map(([name, options]) => [name, { ...one?.[name], ...options }]),
  );
