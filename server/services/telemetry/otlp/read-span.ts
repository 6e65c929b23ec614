import { CONVENTIONS } from "./conventions";
import { attributesRead } from "./readers/attributes-read";
import { resolveSpanType } from "./readers/span-type";
import { viewSpan } from "./readers/view-span";
import type { LogRecord, SpanReading, SpanRecord } from "./types";
import { otherFigureIn } from "./usage/figures";

/** Names of attributes, of which a trailing `*` stands for any suffix. */
class Names {
  private readonly names: ReadonlySet<string>;
  private readonly prefixes: readonly string[];

  constructor(names: readonly string[]) {
    this.names = new Set(names.filter((name) => !name.endsWith("*")));
    this.prefixes = names.filter((name) => name.endsWith("*")).map((name) => name.slice(0, -1));
  }

  has(name: string): boolean {
    return this.names.has(name) || this.prefixes.some((prefix) => name.startsWith(prefix));
  }
}

const taken = CONVENTIONS.flatMap(attributesRead);
const shown = CONVENTIONS.flatMap((convention) => convention.shown ?? []);

const KNOWN = new Names([...taken, ...shown]);
const SHOWN = new Names(shown);
const READ = new Names(taken.filter((name) => !shown.includes(name)));

/** Returns whether something is made from an attribute of this name. */
export const isTaken = (name: string): boolean => READ.has(name) || otherFigureIn(name, 1) !== undefined;

/** Returns whether an attribute of this name is known and only shown with its span. */
export const isShownOnly = (name: string): boolean => !isTaken(name) && SHOWN.has(name);

/** Returns the type of a span, and its attributes that no convention has (sorted). */
export function readSpan(span: SpanRecord, logs: readonly LogRecord[]): SpanReading {
  const unmapped = Object.keys(span.attributes).filter(
    (name) => !KNOWN.has(name) && !otherFigureIn(name, span.attributes[name]),
  );
  return { type: resolveSpanType(viewSpan(span, logs)), unmapped: unmapped.sort() };
}
