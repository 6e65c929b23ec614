import {
  CaptureTag,
  type Context,
  Drop,
  type Emitter,
  Liquid,
  Tag,
  type TagToken,
  type TopLevelToken,
  Value,
} from "liquidjs";
import { quoteMark } from "./quotes";

/** What a template outputs as it is; everything else is escaped, because it may come from a conversation. */
class Verbatim extends Drop {
  constructor(readonly text: string) {
    super();
  }
  /** What filters and conditions see. */
  override valueOf = (): string => this.text;
  toJSON = this.valueOf;
  output = (): string => this.text;
}

/** Part of a conversation, for `insertQuotes`. What filters make of it is text like any other. */
class Quote extends Verbatim {
  constructor(text: string, index: number) {
    super(text);
    this.output = () => quoteMark(index);
  }
}

export const verbatim = (text: string): Drop => new Verbatim(text);
export const quotation = (text: string, index: number): Drop => new Quote(text, index);

type Escape = (text: string) => string;

function output(value: unknown, literally: Escape): string {
  if (value instanceof Verbatim) return value.output();
  if (Array.isArray(value)) return value.map((one) => output(one, literally)).join("");
  return value === null || value === undefined
    ? ""
    : literally(String(value instanceof Drop ? value.valueOf() : value));
}

/**
 * Returns an engine that escapes what a template outputs. Templates are text that a user entered: no files, no prototypes,
 * bounded work. These limits are looked at between tags and filters; `render-ticket.ts` also limits the work of a single one.
 */
export function ticketEngine(literally: Escape): Liquid {
  const liquid = new Liquid({
    templates: {},
    ownPropertyOnly: true,
    parseLimit: 100_000,
    renderLimit: 200,
    memoryLimit: 1_000_000,
    timezoneOffset: 0,
    strictFilters: true,
    outputEscape: (value: unknown) => output(value, literally),
  });
  // Filters that evaluate an expression for each item, which no limit of the engine counts.
  for (const name of Object.keys(liquid.filters)) if (name.endsWith("_exp")) delete liquid.filters[name];
  // Nothing turns escaping off, and nothing escapes twice.
  for (const name of ["raw", "escape", "escape_once", "xml_escape"]) liquid.registerFilter(name, (value) => value);
  registerConcatenations(liquid, literally);
  registerTags(liquid, literally);
  return liquid;
}

/** Filters that put text together leave URLs and quotes intact, and escape what is put to them. */
function registerConcatenations(liquid: Liquid, literally: Escape) {
  const concatenations: Record<string, (value: unknown, by: unknown) => unknown[]> = {
    append: (value, by) => [value, by],
    prepend: (value, by) => [by, value],
    join: (value, by = " ") => [value].flat().flatMap((one, index) => (index === 0 ? [one] : [by, one])),
  };
  for (const [name, parts] of Object.entries(concatenations)) {
    const ofText = liquid.filters[name] as (...given: unknown[]) => unknown;
    liquid.registerFilter(name, function (...given) {
      const all = parts(given[0], given[1]);
      if (!all.some((part) => part instanceof Verbatim)) return ofText.apply(this, given);
      const text = output(all, literally);
      this.context.memoryLimit.use(text.length);
      return new Verbatim(text);
    });
  }
  liquid.registerFilter("newline_to_br", (value) => {
    const lines = String(value ?? "").split(/\r?\n/);
    return value instanceof Verbatim ? value : new Verbatim(lines.map(literally).join("<br />\n"));
  });
}

function registerTags(liquid: Liquid, literally: Escape) {
  /** Like the engine's own, which would pass on a `Verbatim` as text. */
  class Echo extends Tag {
    readonly #value: Value;
    constructor(token: TagToken, remaining: TopLevelToken[], engine: Liquid) {
      super(token, remaining, engine);
      this.#value = new Value(token.args, engine);
    }
    *render(context: Context, emitter: Emitter): Generator<unknown, void, unknown> {
      emitter.write(output(yield this.#value.value(context, false), literally));
    }
  }
  liquid.registerTag("echo", Echo);

  /** Like the engine's own; what was captured is escaped already. */
  class Capture extends CaptureTag {
    override *render(context: Context): Generator<unknown, void, string> {
      yield* super.render(context);
      const scope = context.bottom() as Record<string, unknown>;
      scope[this.variable] = new Verbatim(String(scope[this.variable]));
    }
  }
  liquid.registerTag("capture", Capture);
}
