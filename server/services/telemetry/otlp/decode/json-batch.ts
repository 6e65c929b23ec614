import { parseExactIntegers } from "@/server/platform/json/exact-json";
import type { Attributes } from "../types";
import { field, isObject, type JsonObject, listOf, readJsonResource, readJsonScope } from "./json-values";
import { MalformedBody } from "./malformed-body";

/** The names of the three levels in the spec's JSON and protobuf. */
export type Levels = {
  resources: readonly [camelCase: string, snakeCase: string];
  scopes: readonly [camelCase: string, snakeCase: string];
  items: readonly [camelCase: string, snakeCase: string];
};

export type JsonOwner = { resource: Attributes; scope: { name: string; version: string } };

/**
 * Calls `visit` with every item of a JSON request, in order. Items are not validated: they may be any value.
 * @param exact whether whole numbers that JavaScript cannot represent are read as text, which takes several times as long
 */
export function eachJsonItem(
  body: Uint8Array,
  levels: Levels,
  exact: boolean,
  visit: (item: unknown, owner: JsonOwner) => void,
): void {
  const request = parseBody(body, exact);
  const resources = field(request, ...levels.resources);
  if (resources !== undefined && resources !== null && !Array.isArray(resources)) {
    throw new MalformedBody(`"${levels.resources[0]}" is not a list.`);
  }
  if (resources === undefined && Object.keys(request).length > 0) {
    throw new MalformedBody(`The body has no "${levels.resources[0]}".`);
  }
  for (const resourceItems of listOf(resources)) {
    if (!isObject(resourceItems)) continue;
    const resource = readJsonResource(resourceItems);
    for (const scopeItems of listOf(field(resourceItems, ...levels.scopes))) {
      if (!isObject(scopeItems)) continue;
      const owner = { resource, scope: readJsonScope(scopeItems) };
      for (const item of listOf(field(scopeItems, ...levels.items))) visit(item, owner);
    }
  }
}

function parseBody(body: Uint8Array, exact: boolean): JsonObject {
  let parsed: unknown;
  try {
    const text = new TextDecoder().decode(body); // drops a byte-order mark
    parsed = exact ? parseExactIntegers(text) : JSON.parse(text);
  } catch (error) {
    throw new MalformedBody(`The body is not JSON (${(error as Error).message}).`, { cause: error });
  }
  if (!isObject(parsed)) throw new MalformedBody("The body is not a JSON object.");
  return parsed;
}
