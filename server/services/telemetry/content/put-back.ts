import type { Attributes, AttributeValue, LogRecord, SpanRecord } from "../otlp/types";
import type { Taken } from "./take-content";

/** Returns the span that `takeFromSpan` took this from. */
export function putIntoSpan<Span extends Pick<SpanRecord, "attributes" | "events">>(
  span: Span,
  given: readonly Taken[],
) {
  const events = span.events.map((event, at) => {
    const own = given.filter(({ recipe }) => recipe.in === at);
    return own.length === 0 ? event : { ...event, attributes: filled(event.attributes, own) };
  });
  return { ...span, attributes: filled(span.attributes, ofAttributes(given)), events };
}

/** Returns the log record that `takeFromLog` took this from. */
export function putIntoLog<Log extends Pick<LogRecord, "attributes" | "body">>(log: Log, given: readonly Taken[]) {
  const ofBody = given.filter(({ recipe }) => recipe.in === "body");
  const whole = ofBody.find(({ recipe }) => recipe.name === null);
  const body = whole ? madeFrom(whole) : ofBody.length > 0 ? filled(log.body as Attributes, ofBody) : log.body;
  return { ...log, attributes: filled(log.attributes, ofAttributes(given)), body: body as AttributeValue };
}

const ofAttributes = (given: readonly Taken[]) => given.filter(({ recipe }) => recipe.in === "attributes");

function filled(left: Attributes, given: readonly Taken[]): Attributes {
  if (given.length === 0) return left;
  const attributes: Record<string, AttributeValue> = Object.assign(Object.create(null), left);
  for (const one of given) {
    const name = one.recipe.name ?? "";
    if (one.recipe.form !== "family") attributes[name] = madeFrom(one);
    else
      for (const [index, part] of one.parts.entries())
        for (const [rest, value] of JSON.parse(part) as [string, AttributeValue][])
          attributes[`${name}.${index}.${rest}`] = value;
  }
  return attributes;
}

function madeFrom({ recipe, parts }: Taken): AttributeValue {
  if (recipe.form === "list") return parts.map((part) => JSON.parse(part));
  if (recipe.form !== "text") return JSON.parse(parts[0] ?? "null");
  let from = 0;
  const pieces = recipe.runs.map(([length, separator]) => {
    from += length;
    return parts.slice(from - length, from).join(separator);
  });
  return pieces.join("");
}
