import type { z } from "zod";
import type { Method } from "@/server/operations/row";
import { requireStorable } from "@/server/platform/database/storable";
import { type FieldError, ServiceError } from "@/server/platform/errors";
import { fieldErrors, pointerOf } from "@/server/platform/field-errors";
import { fieldsOf } from "./fields";
import { readJson } from "./read-json";

const takesBody = (method: Method) => method === "POST" || method === "PUT" || method === "PATCH";

/** Returns the query parameters that the operation knows; others are ignored. A repeated one becomes a list. */
function readQuery(search: string, known: ReadonlySet<string>) {
  try {
    // URLSearchParams would silently replace invalid UTF-8 by U+FFFD.
    decodeURIComponent(search.replaceAll("+", " "));
  } catch {
    throw new ServiceError("invalid", "The query string has invalid percent-encoding or is not UTF-8.");
  }
  const query = new URLSearchParams(search);
  return Object.fromEntries(
    [...known].flatMap((name): [string, string | string[]][] => {
      const given = query.getAll(name);
      return given.length === 0 ? [] : [[name, given.length === 1 ? (given[0] as string) : given]];
    }),
  );
}

/** A path parameter repeated in the body, perhaps with another value, is refused like any unknown field. */
const repeated = (body: object, params: object): FieldError[] =>
  Object.keys(body)
    .filter((key) => Object.hasOwn(params, key))
    .map((key) => ({ path: pointerOf([key]), message: "Unknown field: the path sets it." }));

const knownOf = (schema: z.ZodType) => new Set(Object.keys(fieldsOf(schema)));

/** Returns the path parameters and the query. The path wins, so that no query can redirect a call to another resource. */
export function readAddress(
  request: Request,
  schema: z.ZodType,
  params: Record<string, string>,
): Record<string, unknown> {
  requireStorable(params);
  const known = knownOf(schema);
  const query = readQuery(new URL(request.url).search, known);
  requireStorable(query);
  return { ...query, ...Object.fromEntries(Object.entries(params).filter(([name]) => known.has(name))) };
}

/** Returns a verb's input: the path parameters with the query (GET, DELETE) or the JSON body. The path wins over both. */
export async function readInput(
  request: Request,
  method: Method,
  schema: z.ZodType,
  params: Record<string, string>,
): Promise<Record<string, unknown>> {
  if (!takesBody(method)) return readAddress(request, schema, params);
  requireStorable(params);
  const known = knownOf(schema);
  const path = Object.fromEntries(Object.entries(params).filter(([name]) => known.has(name)));
  const body = await readJson(request);
  requireStorable(body);
  const doubled = repeated(body, path);
  const input = { ...body, ...path };
  if (doubled.length) {
    const parsed = schema.safeParse(input);
    const errors = [...doubled, ...(parsed.success ? [] : fieldErrors(parsed.error as z.ZodError))];
    throw new ServiceError("invalid", "The request is not valid.", { errors });
  }
  return input;
}
