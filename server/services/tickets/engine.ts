import {
  CaptureTag,
  type Context,
  Drop,
  type Emitter,
  Liquid,
  Tag,
  type TagToken,
  type Template,
  type TopLevelToken,
  Value,
} from "liquidjs";
import { ownValue } from "@/server/platform/json/own-value";
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

const PARSE_LIMIT = 100_000;
/** A template takes a few milliseconds; a busy machine may not get round to it for hundreds. */
const RENDER_LIMIT_MS = 1_000;
const MEMORY_LIMIT = 1_000_000;

/** The engine's limits, by its own messages. */
const LIMITS: Readonly<Record<string, string>> = {
  "parse length limit exceeded": `makes the template longer than ${PARSE_LIMIT.toLocaleString("en")} characters`,
  "template render limit exceeded": `takes longer than ${RENDER_LIMIT_MS / 1000} s`,
  "memory alloc limit exceeded": `makes more than ${MEMORY_LIMIT.toLocaleString("en")} characters and elements of lists`,
};

/** Says what the engine's message means, and where it is in the template. */
export function templateProblem(message: string): string {
  const [first = ""] = message.split("\n");
  const [, what = first, line, column] = /^(.*?), line:(\d+), col:(\d+)$/.exec(first) ?? [];
  const limit = ownValue(LIMITS, what);
  if (limit !== undefined)
    return `The template cannot be rendered: ${line === undefined ? "it" : `line ${line}`} ${limit}.`;
  const where = line === undefined ? "" : ` (line ${line}, column ${column})`;
  return `The template is not valid: ${what || "It cannot be rendered."}${where}`;
}

/**
 * Returns an engine that escapes what a template outputs. Templates are text that a user entered: no files, no prototypes,
 * bounded work. These limits are looked at between tags and filters; `render-ticket.ts` also limits the work of a single one, for
 * which `onLine` is told each line before it is rendered.
 */
export function ticketEngine(literally: Escape, onLine: (line: number) => void): Liquid {
  const liquid = new Liquid({
    templates: {},
    ownPropertyOnly: true,
    parseLimit: PARSE_LIMIT,
    renderLimit: RENDER_LIMIT_MS,
    memoryLimit: MEMORY_LIMIT,
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
  reportLines(liquid, onLine);
  return liquid;
}

function reportLines({ renderer }: Liquid, onLine: (line: number) => void) {
  const renderAll = renderer.renderTemplates.bind(renderer);
  /** Parts of a loop are rendered many times. */
  const reporting = new WeakMap<Template[], Template[]>();
  renderer.renderTemplates = (templates, context, emitter) => {
    const parts = reporting.get(templates) ?? templates.map((one) => reportingPart(one, onLine));
    reporting.set(templates, parts);
    return renderAll(parts, context, emitter);
  };
}

/** Returns a part of a template that reports its line before it is rendered. */
function reportingPart(part: Template, onLine: (line: number) => void): Template {
  const [line] = part.token.getPosition();
  const render: Template["render"] = (context, emitter) => {
    onLine(line!);
    return part.render(context, emitter);
  };
  return Object.create(part, { render: { value: render } }) as Template;
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
