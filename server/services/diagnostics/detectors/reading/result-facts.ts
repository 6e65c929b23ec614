import { parseJson } from "@/server/platform/json/json-text";
import { keyOf } from "./stated-values";
import type { ToolExchange } from "./tool-exchanges";

export type Fact = string | number | boolean;
/** Values by key; a key with several different values is not a fact. */
export type Facts = ReadonlyMap<string, ReadonlySet<Fact>>;

/** Characters. Larger results are lists and documents, whose keys repeat. */
const RESULT_LIMIT = 20_000;
const DEPTH = 6;
const LEAVES = 600;

const factsOf = new WeakMap<ToolExchange, Facts>();
const NONE: Facts = new Map();

/** Returns the scalar values of a JSON result by key. Memoized per exchange. */
export function resultFacts(exchange: ToolExchange): Facts {
  let facts = factsOf.get(exchange);
  if (!facts) {
    facts = readFacts(exchange.result ?? "");
    factsOf.set(exchange, facts);
  }
  return facts;
}

function readFacts(result: string): Facts {
  if (result.length > RESULT_LIMIT || !/^\s{0,20}[{[]/.test(result)) return NONE;
  const facts = new Map<string, Set<Fact>>();
  let leaves = 0;
  const walk = (value: unknown, key: string, depth: number) => {
    if (depth > DEPTH || leaves > LEAVES || value === null) return;
    if (typeof value === "object") {
      for (const [name, inner] of Object.entries(value))
        walk(inner, Array.isArray(value) ? key : keyOf(name), depth + 1);
    } else if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") {
      leaves++;
      const known = facts.get(key);
      if (known) known.add(value);
      else facts.set(key, new Set([value]));
    }
  };
  walk(parseJson(result), "", 0);
  return facts;
}
