import { z } from "zod";

/** A whole number that arrives as a number (tRPC) or as digits (a query string). */
export const queryInteger = (min: number, max = Number.MAX_SAFE_INTEGER) =>
  z.preprocess(
    (value) => (typeof value === "string" && /^-?\d{1,16}$/.test(value) ? Number(value) : value),
    z.int().min(min).max(max),
  );

/** Decimal numbers as programs print them, such as `0.18993492829533848` and `1e-07`; not all that `Number` accepts. */
const NUMBER = /^-?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,3})?$/i;
const NUMBER_CHARACTERS_MAX = 40;
const isNumber = (value: unknown) =>
  typeof value === "string" && value.length <= NUMBER_CHARACTERS_MAX && NUMBER.test(value);

/** A number that arrives as a number (tRPC) or as text (a query string). */
export const queryNumber = (min: number, max: number) =>
  z.preprocess((value) => (isNumber(value) ? Number(value) : value), z.number().min(min).max(max));

/** A boolean that arrives as one (tRPC) or as `true` / `false` (a query string). */
export const queryBoolean = () =>
  z.preprocess((value) => (value === "true" ? true : value === "false" ? false : value), z.boolean());

/** Alternative values that a filter takes. */
export const SEVERAL_MAX = 20;

/** Alternative values of a filter: a list (tRPC) or a parameter given once or repeatedly (a query string). */
export const oneOrSeveral = <Value extends z.ZodType>(value: Value) =>
  z.preprocess(
    (given) => (Array.isArray(given) ? (given.length > SEVERAL_MAX ? given : [...new Set(given)].sort()) : [given]),
    z.array(value).min(1).max(SEVERAL_MAX),
  );

const NO_CHANGE = "Send at least one field to change.";

/** Returns the input of a change: besides those that `named` what changes, it has at least one field. */
export const changing = <Shape extends z.ZodRawShape>(input: z.ZodObject<Shape>, named: readonly (keyof Shape)[]) => {
  const fields = Object.keys(input.shape).filter((name) => !named.includes(name));
  return input
    .refine((sent) => fields.some((name) => (sent as Record<string, unknown>)[name] !== undefined), {
      error: NO_CHANGE,
      // A field that is refused says more.
      when: ({ issues }) => issues.length === 0,
    })
    .meta({ anyOf: fields.map((name) => ({ required: [name] })) });
};

/** Non-blank text, trimmed. The pattern tells readers of the OpenAPI document what trimming alone cannot. */
export const filledText = (charactersMax: number, message = "Must not be blank.") =>
  z.string().regex(/\S/, message).trim().max(charactersMax);

/** Unix milliseconds. */
export const unixMs = z.int().min(0).max(8_640_000_000_000_000);
/** Unix milliseconds in a query string. */
export const queryUnixMs = queryInteger(0, 8_640_000_000_000_000);

export const PAGE_LIMIT_DEFAULT = 50;
export const PAGE_LIMIT_MAX = 500;

/** The two parameters of every list. `cursor` is opaque: the `nextCursor` of an earlier page. */
export const pageInput = {
  limit: queryInteger(1, PAGE_LIMIT_MAX).default(PAGE_LIMIT_DEFAULT),
  cursor: z.string().min(1).max(2000).optional(),
};

/** Formats in which a whole list is downloaded: a row of cells, or the list's own object, per line. */
const LIST_FORMATS = ["csv", "jsonl"] as const;
export const listFormat = z.enum(LIST_FORMATS);
export type ListFormat = z.infer<typeof listFormat>;

/** The direction of a list's order. */
export const sortOrder = z.enum(["asc", "desc"]);
export type SortOrder = z.infer<typeof sortOrder>;
/** Maximum rows sorted when no index supports the order: the newest that match. */
export const SORTED_MAX = 10_000;

/** `nextCursor` is `null` on the last page. */
export const pagination = z.object({ limit: z.int(), nextCursor: z.string().nullable() });

/** The reply of a delete. */
export const okReply = z.object({ ok: z.literal(true) });

/** An opaque id in a path or a body. */
export const idInput = z.string().min(1).max(200);
