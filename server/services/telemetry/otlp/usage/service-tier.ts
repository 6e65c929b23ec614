import { parseJson } from "../readers/json-text";
import { firstOf, objectIn, type Reader, text, textInJson, textOf } from "../readers/reader";
import type { Attributes } from "../types";

/** What each vendor calls its standard way of serving, and requests that leave the choice to it. */
const STANDARD = new Set(["default", "standard", "standard_only", "auto", "on_demand", "ondemand", "none", "null"]);

const NAMES = ["service_tier", "serviceTier"] as const;

/** Reads the tier in what the AI SDK's provider adds: `{openai: {serviceTier}}`, `{anthropic: {usage: {service_tier}}}`. */
const inProviderMetadata: Reader<string> = {
  takes: ["ai.response.providerMetadata"],
  read: (attributes) => {
    for (const vendor of Object.values(objectIn(attributes["ai.response.providerMetadata"]) ?? {})) {
      const found = tierIn(objectIn(vendor)) ?? tierIn(objectIn(objectIn(vendor)?.usage));
      if (found !== undefined) return found;
    }
    return undefined;
  },
};

const tierIn = (object: Readonly<Record<string, unknown>> | undefined) => {
  for (const name of NAMES) {
    const found = textOf(object?.[name]);
    if (found !== undefined) return found;
  }
  return undefined;
};

/** The tier in which a call was served. */
const SERVED: readonly Reader<string>[] = [
  text("openai.response.service_tier"), // OpenTelemetry GenAI
  text("gen_ai.openai.response.service_tier"), // its older name
  text("gen_ai.response.service_tier"),
  text("gen_ai.usage.service_tier"),
  text("anthropic.response.service_tier"), // Anthropic's own SDK
  inProviderMetadata,
  textInJson("gen_ai.usage.raw", ...NAMES), // Logfire
  textInJson("langfuse.observation.metadata", ...NAMES),
  quoted("langfuse.observation.metadata.service_tier"),
];

/** The tier that was asked for, of clients that do not say in which the call was served. */
const REQUESTED: readonly Reader<string>[] = [
  text("openai.request.service_tier"),
  text("gen_ai.openai.request.service_tier"),
  text("gen_ai.request.service_tier"),
  textInJson("llm.invocation_parameters", ...NAMES), // OpenInference
  textInJson("langfuse.observation.model.parameters", ...NAMES),
];

/** Faster or regional serving, which some vendors charge more for beside the tier. */
const SURCHARGES: readonly (readonly [reader: Reader<string>, standard: ReadonlySet<string>, prefix: string])[] = [
  [{ takes: ["speed"], read: ({ speed }) => (speed === "fast" ? speed : undefined) }, new Set(), ""], // Claude Code
  [inUsage("speed"), new Set(["standard", "normal"]), ""], // Anthropic: fast
  [inUsage("inference_geo"), new Set(["global", "not_available"]), "geo_"], // Anthropic: us
];

function quoted(name: string): Reader<string> {
  return { takes: [name], read: (attributes) => textOf(parseJson(attributes[name]) ?? attributes[name]) };
}

function inUsage(field: string): Reader<string> {
  const flat = [text(`anthropic.usage.${field}`), text(`gen_ai.usage.${field}`), text(`anthropic.response.${field}`)];
  return {
    takes: flat.flatMap(({ takes }) => takes),
    read: (attributes) =>
      firstOf(flat, attributes) ??
      textOf(objectIn(attributes["gen_ai.usage.raw"])?.[field]) ??
      textOf(objectIn(objectIn(objectIn(attributes["ai.response.providerMetadata"])?.anthropic)?.usage)?.[field]),
  };
}

/** The attributes that say how a call was served. */
export const SERVICE_TIER_ATTRIBUTES: readonly string[] = [
  ...SERVED,
  ...REQUESTED,
  ...SURCHARGES.map(([reader]) => reader),
].flatMap(({ takes }) => takes);

/** Returns the ways in which a call was not served as standard; empty for nearly all calls. */
export function serviceTiersOf(attributes: Attributes): string[] {
  const found = firstOf(SERVED, attributes) ?? firstOf(REQUESTED, attributes);
  const tier = found?.trim().toLowerCase();
  const tiers = tier && !STANDARD.has(tier) ? [tier] : [];
  for (const [reader, standard, prefix] of SURCHARGES) {
    const sent = reader.read(attributes)?.trim().toLowerCase();
    if (sent && !standard.has(sent)) tiers.push(prefix + sent);
  }
  return tiers;
}
