import { createParser, parseAsFloat, parseAsInteger, parseAsString } from "nuqs/server";

const KINDS = ["checkpoint", "base", "deployment"] as const;
/** A pane's model: a checkpoint, a base model or a deployment. */
export type Target = { kind: (typeof KINDS)[number]; id: string };

export function targetIn(text: string): Target | null {
  const [kind = "", ...rest] = text.split(":");
  const known = KINDS.find((one) => one === kind);
  const id = rest.join(":");
  return known === undefined || id === "" ? null : { kind: known, id };
}
export const targetText = ({ kind, id }: Target) => `${kind}:${id}`;

const parseAsTarget = createParser<Target>({
  parse: targetIn,
  serialize: targetText,
  eq: (a, b) => targetText(a) === targetText(b),
});

export const TEMPERATURE_MAX = 2;
export const MAX_TOKENS = 512;
export const viewParsers = {
  a: parseAsTarget,
  b: parseAsTarget,
  /** The conversation to be answered, up to `turn`. */
  conversation: parseAsString,
  turn: parseAsInteger,
  temperature: parseAsFloat.withDefault(0),
  max: parseAsInteger.withDefault(MAX_TOKENS),
};
