import { findPersonalData, type PersonalDataKind } from "@/server/platform/personal-data";
import { maskText } from "@/server/services/telemetry/masking";
import { isPublic } from "../detectors/reading";

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
 * Masks personal data and secrets in text that leaves the conversation with numbered placeholders such as `<EMAIL_1>`, the
 * same for the same value in all text that one instance masks. `count` counts the places.
 */
export class PlaceholderMask {
  count = 0;
  readonly #placeholders = new Map<string, string>();
  readonly #numbers = new Map<string, number>();

  text(text: string): string {
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

  /** Masks JSON as text, so that names identify values. Placeholders for unquoted numbers get quotes to keep it valid. */
  json(json: string): string {
    const masked = this.text(json);
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
