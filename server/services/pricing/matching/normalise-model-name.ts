import { type PriceList, priceListOf, priceListOfWord } from "./providers";

/** Exceeds any model name, ARN or resource path; longer input is ignored. */
export const MODEL_NAME_MAX = 500;

export type NormalName = {
  /** Forms to look up, in lower case: the name as sent, then with one envelope after another removed. */
  candidates: string[];
  /** The price list that the name itself implies, such as `anthropic/…`; `null` when it implies none. */
  priceList: PriceList | null;
  /** Whether the name has a host of open weights before the vendor: `together_ai/openai/…`. */
  hosted: boolean;
};

const NOTHING: NormalName = { candidates: [], priceList: null, hosted: false };

/** `bedrock/us-east-1/anthropic.claude…` wraps a model three times; nothing seen wraps it more often than five. */
const MAX_ENVELOPES = 5;

const BEDROCK_ARN = /^arn:aws[a-z-]*:bedrock:[^:/]*:[^:/]*:(?:foundation-model|inference-profile)\/(.+)$/;
const RESOURCE_PATH = /^(?:projects\/[^/]+\/locations\/[^/]+\/)?publishers\/([^/]+)\/models\/(.+)$/;
/** `us.anthropic.claude-…`: an optional region group, a vendor, a model. */
const BEDROCK_ID = /^(?:(?:global|apac|us-gov|[a-z]{2})\.)?([a-z\d]+)\.([a-z].*)$/;
/** Recognised by its colon, by a preceding date or by the envelope; elsewhere `-v9` may be part of an unknown name. */
const BEDROCK_VERSION = /-v\d+:\d+$|(?<=-20\d{6})-v\d+$/;
const BEDROCK_VERSION_INSIDE = /-v\d+(?::\d+)?$/;
/** After a known prefix: a region, deployment class or API of that service, which is not part of the model name. */
const QUALIFIER =
  /^(?:(?:eu|us|global|global-standard|data-zone|converse|invoke|responses|chat|models|(?:us|eu|ap|ca|sa|me|af|il|mx|us-gov)-[a-z]+-\d)\/)(.+)$/;
/** How a router or client runs the model, at the same price per token. */
const MODE = /(?::(?:thinking|beta)|\[1m\])$/;

/**
 * Returns the names under which to look up a model name as sent by a client. Understands ARNs, resource paths, gateway and
 * vendor prefixes, `scheme:model`, Bedrock ids and `model@date`. Unknown prefixes and everything about a fine-tune are
 * preserved, so that only a definition for exactly that name matches.
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
  if (name.startsWith("arn:")) return null; // an application inference profile does not reveal its model

  const path = RESOURCE_PATH.exec(name);
  if (path) return { rest: path[2]!, priceList: priceListOf(path[1]!) };
  if (name.startsWith("models/")) return { rest: name.slice("models/".length), priceList: null };

  const qualified = inside ? QUALIFIER.exec(name) : null;
  if (qualified) return { rest: qualified[1]!, priceList: null };

  const head = /^([^/:]+)([/:])(.+)$/.exec(name);
  // A colon also precedes a tag (`mistral-7b:latest`), so only an exact provider word counts before it.
  const list = head ? (head[2] === "/" ? priceListOf(head[1]!) : priceListOfWord(head[1]!)) : null;
  if (head && list) return { rest: head[3]!, priceList: list };

  const bedrock = BEDROCK_ID.exec(name);
  const maker = bedrock ? priceListOfWord(bedrock[1]!) : null;
  if (bedrock && maker && maker !== "any") return { rest: bedrock[2]!, priceList: maker, bedrock: true };
  return null;
}

/** A host that sets all its prices takes precedence; otherwise the part nearest to the model, unless it is a reseller. */
function narrower(outer: PriceList | null, inner: PriceList | null): PriceList | null {
  if (outer === "own" || inner === null) return outer;
  return inner === "any" ? (outer ?? inner) : inner;
}

/** Yields the model's own name without suffixes that its cloud appends. */
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
