import { findPersonalData, type PersonalDataKind } from "@/server/platform/personal-data";
import { isPublic } from "../../../diagnostics/detectors/reading";
import { maskText } from "../../../telemetry/masking";
import type { ChatMessage, ChatPayload } from "../../chat-payload/schemas";
import type { MaskingMode } from "../types";

const PLACEHOLDERS: Readonly<Record<PersonalDataKind, string>> = {
  "e-mail address": "EMAIL",
  "phone number": "PHONE",
  "card number": "CARD_NUMBER",
  IBAN: "IBAN",
  "national id": "NATIONAL_ID",
  "IP address": "IP_ADDRESS",
  "date of birth": "DATE_OF_BIRTH",
  "document number": "DOCUMENT_NUMBER",
  "account number": "ACCOUNT_NUMBER",
  website: "WEBSITE",
};
const SECRET = "SECRET";

/**
 * Masks personal data and secrets in an Example by numbered placeholders such as `<EMAIL_1>`, the same for the same value throughout
 * the Example; or holds it back, which is `null`. `masked` counts the places.
 */
export function maskExample(payload: ChatPayload, mode: MaskingMode): { payload: ChatPayload; masked: number } | null {
  const mask = new Mask();
  const { input, expectedOutput, rejectedOutput } = payload;
  const answer = <Output extends ChatPayload["expectedOutput"]>(output: Output): Output => ({
    ...output,
    message: mask.message(output.message),
  });
  const masked: ChatPayload = {
    ...payload,
    input: { ...input, messages: input.messages.map((message) => mask.message(message)) },
    expectedOutput: answer(expectedOutput),
    ...(rejectedOutput && { rejectedOutput: answer(rejectedOutput) }),
  };
  if (mask.count === 0) return { payload, masked: 0 };
  return mode === "hold_back" ? null : { payload: masked, masked: mask.count };
}

/** The placeholders of one Example. */
class Mask {
  count = 0;
  readonly #placeholders = new Map<string, string>();
  readonly #numbers = new Map<string, number>();

  message<One extends ChatMessage>(message: One): One {
    return {
      ...message,
      ...(typeof message.content === "string" && { content: this.#text(message.content) }),
      ...(message.role === "assistant" &&
        message.tool_calls && {
          tool_calls: message.tool_calls.map((call) => ({
            ...call,
            function: { ...call.function, arguments: this.#json(call.function.arguments) },
          })),
        }),
    };
  }

  #text(text: string): string {
    const withoutSecrets = maskText(text, { masked: 0, write: (_, secret) => this.#placeholder(SECRET, secret) });
    let masked = "";
    let from = 0;
    for (const item of findPersonalData(withoutSecrets)) {
      if (item.start < from || isPublic(item)) continue;
      masked += withoutSecrets.slice(from, item.start) + this.#placeholder(PLACEHOLDERS[item.kind], item.value);
      from = item.end;
    }
    return masked + withoutSecrets.slice(from);
  }

  /** A number without quotes would be no JSON as a placeholder: it is masked as text, with the name before it. */
  #json(json: string): string {
    const masked = this.#text(json);
    if (masked === json) return json;
    try {
      JSON.parse(masked);
      return masked;
    } catch {
      return masked.replaceAll(/([:[,]\s*)(<[A-Z_]+_\d+>)(?=\s*[,}\]])/g, '$1"$2"');
    }
  }

  #placeholder(kind: string, value: string): string {
    this.count++;
    const key = `${kind} ${value}`;
    const known = this.#placeholders.get(key);
    if (known) return known;
    const number = (this.#numbers.get(kind) ?? 0) + 1;
    this.#numbers.set(kind, number);
    const placeholder = `<${kind}_${number}>`;
    this.#placeholders.set(key, placeholder);
    return placeholder;
  }
}
