import { ANTHROPIC_SDK } from "../conventions/anthropic";
import { OPENTELEMETRY } from "../conventions/opentelemetry";
import { sourcesOf } from "../readers/precedence";
import { firstOf } from "../readers/reader";
import type { Attributes } from "../types";

/** What each vendor calls its standard way of serving, and requests that leave the choice to it. */
const STANDARD = new Set(["default", "standard", "standard_only", "auto", "on_demand", "ondemand", "none", "null"]);

/** The tier in which a call was served. */
const SERVED = sourcesOf("servedTier", { first: [OPENTELEMETRY, ANTHROPIC_SDK] });

/** The tier that was asked for, of clients that do not say in which the call was served. */
const REQUESTED = sourcesOf("requestedTier");

/** Faster or regional serving, which some vendors charge more for beside the tier. */
const SURCHARGES = sourcesOf("surcharges");

/** Returns the ways in which a call was not served as standard; empty for nearly all calls. */
export function serviceTiersOf(attributes: Attributes): string[] {
  const found = firstOf(SERVED, attributes) ?? firstOf(REQUESTED, attributes);
  const tier = found?.trim().toLowerCase();
  const tiers = tier && !STANDARD.has(tier) ? [tier] : [];
  for (const { read, standard = [], prefix = "" } of SURCHARGES) {
    const sent = read(attributes)?.trim().toLowerCase();
    if (sent && !standard.includes(sent)) tiers.push(prefix + sent);
  }
  return tiers;
}
