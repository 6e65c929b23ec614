import { type PriceList, priceListOf, priceListOfWord } from "./providers";

/** Longer than any model's name, ARN or resource path. What exceeds it is not looked at, whatever it is. */
export const MODEL_NAME_MAX = 500;

export type NormalName = {
  /** Forms to look up, lower case: the name as sent first, then with one envelope after another taken off. */
  candidates: string[];
  /** Whose price list the name itself says, e.g. `anthropic/…`; `null` when it says nothing. */
  priceList: PriceList | null;
  /** The name says a host of open weights before the vendor: `together_ai/openai/…`. */
  hosted: boolean;
};

const NOTHING: NormalName = { candidates: [], priceList: null, hosted: false };

/** `bedrock/us-east-1/anthropic.claude…` wraps a model three times; nothing seen wraps it more often than five. */
const MAX_ENVELOPES = 5;

const BEDROCK_ARN = /^arn:aws[a-z-]*:bedrock:[^:/]*:[^:/]*:(?:foundation-model|inference-profile)\/(.+)$/;
const RESOURCE_PATH = /^(?:projects\/[^/]+\/locations\/[^/]+\/)?publishers\/([^/]+)\/models\/(.+)$/;
/** `us.anthropic.claude-…`: an optional region group, a vendor, a model. */
const BEDROCK_ID = /^(?:(?:global|apac|us-gov|[a-z]{2})\.)?([a-z\d]+)\.([a-z].*)$/;
/** Told by its colon, by the date before it or by the envelope; elsewhere `-v9` is part of a name that we may not know. */
const BEDROCK_VERSION = /-v\d+:\d+$|(?<=-20\d{6})-v\d+$/;
const BEDROCK_VERSION_INSIDE = /-v\d+(?::\d+)?$/;
/** Behind a known head: a region, a deployment class or an API of that service, no part of the model's name. */
const QUALIFIER =
  /^(?:(?:eu|us|global|global-standard|data-zone|converse|invoke|responses|chat|models|(?:us|eu|ap|ca|sa|me|af|il|mx|us-gov)-[a-z]+-\d)\/)(.+)$/;
/** Says how a router or a client runs the model, at the same price per token. */
const MODE = /(?::(?:thinking|beta)|\[1m\])$/;

/**
 * The names under which to look for a model that a client calls so. Knows ARNs, resource paths, gateway and vendor
 * prefixes, `scheme:model`, Bedrock ids and `model@date`. A prefix that we do not know stays on, and so does
 * everything about a fine-tune: then only a definition for that very name can match.
 */
export function normaliseModelName(name: string): NormalName {
  if (name.length > MODEL_NAME_MAX) return NOTHING;
  let rest = name.trim().toLowerCase();
  if (rest === "") return NOTHING;

  const candidates = new Set([rest]);
  let priceList: PriceList | null = null;
  let hosted = false;
  let onBedrock = false;
  for (let peeled = 0; peeled < MAX_ENVELOPES; peeled++) {
    const envelope = openEnvelope(rest, peeled > 0);
    if (!envelope) break;
    rest = envelope.rest;
    candidates.add(rest);
    onBedrock ||= envelope.bedrock === true;
    priceList = narrower(priceList, envelope.priceList);
    hosted ||= envelope.priceList === "weights";
  }
  for (const form of bareForms(rest, onBedrock)) candidates.add(form);
  return { candidates: [...candidates], priceList, hosted };
}

type Envelope = { rest: string; priceList: PriceList | null; bedrock?: true };

function openEnvelope(name: string, inside: boolean): Envelope | null {
  const arn = BEDROCK_ARN.exec(name);
  if (arn) return { rest: arn[1]!, priceList: "any", bedrock: true };
  if (name.startsWith("arn:")) return null; // an application's own profile says nothing about the model in it

  const path = RESOURCE_PATH.exec(name);
  if (path) return { rest: path[2]!, priceList: priceListOf(path[1]!) };
  if (name.startsWith("models/")) return { rest: name.slice("models/".length), priceList: null };

  const qualified = inside ? QUALIFIER.exec(name) : null;
  if (qualified) return { rest: qualified[1]!, priceList: null };

  const head = /^([^/:]+)([/:])(.+)$/.exec(name);
  // A colon also sets off a tag (`mistral-7b:latest`), so before it only a provider's whole word counts.
  const list = head ? (head[2] === "/" ? priceListOf(head[1]!) : priceListOfWord(head[1]!)) : null;
  if (head && list) return { rest: head[3]!, priceList: list };

  const bedrock = BEDROCK_ID.exec(name);
  const maker = bedrock ? priceListOfWord(bedrock[1]!) : null;
  if (bedrock && maker && maker !== "any") return { rest: bedrock[2]!, priceList: maker, bedrock: true };
  return null;
}

/** Who sets a price for every model has the last word; else what stands nearer to the model, a reseller aside. */
function narrower(outer: PriceList | null, inner: PriceList | null): PriceList | null {
  if (outer === "own" || inner === null) return outer;
  return inner === "any" ? (outer ?? inner) : inner;
}

/** The model's own name without what the cloud it runs on puts behind it. */
function* bareForms(name: string, onBedrock: boolean) {
  if (name.startsWith("ft:")) return;
  let rest = name;
  for (const [mark, replacement] of onBedrock ? [...BARE, [BEDROCK_VERSION_INSIDE, ""] as const] : BARE) {
    const next = rest.replace(mark, replacement);
    if (next !== rest) yield next;
    rest = next;
  }
}

const BARE: readonly [RegExp, string][] = [
  [MODE, ""],
  [/@(?:latest|default)$/, ""],
  [/@(?=[\w-]+$)/, "-"],
  [BEDROCK_VERSION, ""],
];
