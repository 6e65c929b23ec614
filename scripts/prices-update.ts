/**
 * Writes the default model prices from the data of `@pydantic/genai-prices` (MIT). Run it after updating that package and
 * review the diff like code: `npx tsx scripts/prices-update.ts`. `--check` writes nothing and fails if the committed file is
 * out of date. `--to FILE` writes to FILE instead, for a running installation to load with `cli prices load FILE`.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { findProvider } from "@pydantic/genai-prices";
import {
  CATALOGUE_PROVIDERS,
  type CatalogueProvider,
  type DefaultPrice,
  defaultPricesFrom,
  SOURCES,
} from "@/server/services/pricing/catalogue/from-genai-prices";

/**
 * The package does not carry its own date: `npm view @pydantic/genai-prices time`. The date is that of the newer source, the
 * prices of service tiers (`scripts/service-tier-prices.py`). Change them together.
 */
const CATALOGUE = { package: "@pydantic/genai-prices", version: "0.1.8", date: "2026-11-10" };

const FILE = path.join(import.meta.dirname, "../server/services/pricing/catalogue/default-prices.generated.json");

const manifest = path.join(path.dirname(createRequire(import.meta.url).resolve(CATALOGUE.package)), "../package.json");
const installed = JSON.parse(readFileSync(manifest, "utf8")).version;
if (installed !== CATALOGUE.version) {
  throw new Error(`${CATALOGUE.package}@${installed} is installed: update its version and date in this script first.`);
}

const providers = new Map<string, CatalogueProvider>();
for (const id of CATALOGUE_PROVIDERS) {
  const provider = findProvider({ providerId: id });
  if (provider?.id === id) providers.set(id, provider as CatalogueProvider);
}

const definitions = defaultPricesFrom(providers);
const text = render(definitions);

if (process.argv.includes("--check")) {
  if (readFileSync(FILE, "utf8") !== text) throw new Error("The committed default prices are out of date.");
} else {
  const to = process.argv.indexOf("--to");
  writeFileSync(to === -1 ? FILE : path.resolve(process.argv[to + 1] ?? ""), text);
}
const perVendor = Object.keys(SOURCES).map(
  (vendor) => `${vendor} ${definitions.filter((d) => d.provider === vendor).length}`,
);
console.log(
  `${definitions.length} definitions (${perVendor.join(", ")}) from ${CATALOGUE.package}@${CATALOGUE.version}`,
);

/** Renders one line for a definition's names and one per tier, so that a changed price is one changed line. */
function render(all: DefaultPrice[]) {
  const blocks = all.map(({ priceSets, ...names }) => {
    const sets = priceSets.map(({ effectiveFrom, pricingTiers }) => {
      const tiers = pricingTiers.map((tier) => `      ${JSON.stringify(tier)}`).join(",\n");
      return `    {"effectiveFrom":${effectiveFrom},"pricingTiers":[\n${tiers}\n    ]}`;
    });
    return `  {${JSON.stringify(names).slice(1, -1)},"priceSets":[\n${sets.join(",\n")}\n  ]}`;
  });
  return `{"catalogue":${JSON.stringify(CATALOGUE)},"definitions":[\n${blocks.join(",\n")}\n]}\n`;
}
