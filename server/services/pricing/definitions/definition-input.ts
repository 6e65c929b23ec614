import { z } from "zod";
import { filledText } from "@/server/platform/schemas";
import { TOTALS } from "../costing/cost-of";
import { compilePattern, isPattern, PATTERN_MAX } from "../matching/pattern";
import { CONDITION_OPERATORS, PRICE_PROVIDERS, type PricingTier, patternOfName } from "../schemas";

const NAME_MAX = 150;
const ID_MAX = 300;
const TIERS_MAX = 50;
const CONDITIONS_MAX = 20;
const PRICES_MAX = 64;
const KEY_MAX = 100;

/** An RE2 regular expression; errors include the position. */
const pattern = z
  .string()
  .min(1)
  .max(PATTERN_MAX)
  .superRefine((source, context) => {
    const compiled = compilePattern(source);
    if (!isPattern(compiled)) context.addIssue({ code: "custom", message: compiled.error });
  });

/** US dollars per unit: any finite number that is not negative. */
const prices = z.record(z.string().min(1).max(KEY_MAX), z.number().min(0)).superRefine((given, context) => {
  const keys = Object.keys(given);
  if (keys.length > PRICES_MAX) {
    context.addIssue({ code: "custom", message: `A tier can have at most ${PRICES_MAX} prices.` });
  }
  for (const key of keys.filter((key) => TOTALS.has(key))) {
    context.addIssue({
      code: "custom",
      path: [key],
      message: "A total is the sum of other buckets and cannot have a price.",
    });
  }
});

const condition = z.strictObject({
  usageDetailPattern: pattern,
  operator: z.enum(CONDITION_OPERATORS),
  value: z.number(),
});

const tier = z.strictObject({
  /** Derived from the name when absent. */
  id: filledText(KEY_MAX).optional(),
  name: filledText(NAME_MAX),
  isDefault: z.boolean(),
  priority: z.number(),
  conditions: z.array(condition).max(CONDITIONS_MAX).default([]),
  prices,
});
type TierInput = z.output<typeof tier>;

type Add = (path: PropertyKey[], message: string) => void;

function checkConditions(tiers: readonly TierInput[], add: Add) {
  tiers.forEach(({ isDefault, conditions }, index) => {
    if (isDefault && conditions.length > 0) {
      add([index, "conditions"], "The default tier applies when no other does, so it cannot have conditions.");
    }
    if (!isDefault && conditions.length === 0) {
      add([index, "conditions"], "A tier that is not the default needs at least one condition.");
    }
  });
}

/** A definition may go without a default tier or have several, but hardly anyone means it. */
export function warningsOf({ pricingTiers }: Pick<DefinitionInput, "pricingTiers">): { warnings?: string[] } {
  const warnings = defaultTierWarnings(pricingTiers);
  return warnings.length === 0 ? {} : { warnings };
}

function defaultTierWarnings(pricingTiers: DefinitionInput["pricingTiers"]): string[] {
  const defaults = pricingTiers.filter(({ isDefault }) => isDefault);
  if (defaults.length === 0) {
    return ["No tier is the default, so a call that meets no tier's conditions has no cost."];
  }
  const [first, ...others] = defaults.map(({ name }) => `“${name}”`);
  return others.length === 0
    ? []
    : [`Several tiers are the default. ${first} applies, and ${others.join(", ")} never does.`];
}

function checkUnique(tiers: readonly TierInput[], add: Add) {
  for (const field of ["id", "name", "priority"] as const) {
    const seen = new Set<unknown>();
    tiers.forEach(({ [field]: value, isDefault }, index) => {
      // A default tier's priority is ignored: it is always the fallback.
      if (value === undefined || (field === "priority" && isDefault)) return;
      if (seen.has(value)) add([index, field], `Another tier already has this ${field}.`);
      seen.add(value);
    });
  }
}

const tiers = z
  .array(tier)
  .min(1)
  .max(TIERS_MAX)
  .superRefine((given, context) => {
    const add: Add = (path, message) => context.addIssue({ code: "custom", path, message });
    checkConditions(given, add);
    checkUnique(given, add);
  });

const fields = {
  provider: z.enum(PRICE_PROVIDERS),
  modelName: filledText(NAME_MAX),
  /** Model names to match besides its own. Defaults to the stored pattern, else the overridden default's, else the own name only. */
  matchPattern: pattern.optional(),
  pricingTiers: tiers,
  baseModelPriceId: z.string().min(1).max(ID_MAX).optional(),
};

const EXAMPLE = {
  provider: "external",
  modelName: "acme-large",
  matchPattern: "^acme-large(-\\d{4})?$",
  pricingTiers: [
    { name: "Standard", isDefault: true, priority: 0, prices: { input_tokens: 0.000002, output_tokens: 0.000008 } },
    {
      name: "Long context",
      isDefault: false,
      priority: 1,
      conditions: [{ usageDetailPattern: "^(input|cache)", operator: "gt", value: 200_000 }],
      prices: { input_tokens: 0.000004, output_tokens: 0.000016 },
    },
  ],
};

const ignored = z
  .unknown()
  .optional()
  .describe("Ignored: the server sets it. Accepted so that a definition can be sent back as it was listed.");
const serverOwned = { id: ignored, source: ignored, editable: ignored, resettable: ignored };

/** A complete definition. */
export const createModelPriceInput = z.strictObject({ ...fields, ...serverOwned }).meta({ examples: [EXAMPLE] });
export type DefinitionInput = Omit<z.output<typeof createModelPriceInput>, keyof typeof serverOwned>;

/** A definition that is not stored; `modelPriceId` is the project's definition of which it would be the next version. */
export const draftInput = z.strictObject({ ...fields, modelPriceId: z.string().min(1).max(ID_MAX).optional() });
export type DraftInput = z.output<typeof draftInput>;

export const modelPriceIdInput = z.strictObject({ modelPriceId: z.string().min(1).max(ID_MAX) });
export const updateModelPriceInput = z
  .strictObject({ ...modelPriceIdInput.shape, ...fields, ...serverOwned })
  .meta({ examples: [EXAMPLE] });

const slug = (name: string) =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "") || "tier";

/** Returns tiers as they are stored, each with a unique id. */
function storedTiers(given: readonly TierInput[]): PricingTier[] {
  const taken = new Set(given.flatMap(({ id }) => id ?? []));
  return given.map(({ id, ...rest }) => {
    if (id !== undefined) return { id, ...rest };
    const wanted = slug(rest.name);
    let free = wanted;
    for (let n = 2; taken.has(free); n++) free = `${wanted}-${n}`;
    taken.add(free);
    return { id: free, ...rest };
  });
}

/** Returns the stored form of a definition, with a pattern and tier ids. */
export const storedFields = ({ provider, modelName, matchPattern, pricingTiers }: DefinitionInput) => ({
  provider,
  modelName,
  matchPattern: matchPattern ?? patternOfName(modelName),
  pricingTiers: storedTiers(pricingTiers),
});
