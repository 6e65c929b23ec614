import { randomId } from "@mantine/hooks";
import { Decimal } from "decimal.js";
import { quoted, unquoted } from "@/app/p/[projectId]/_components/costs/price-words";
import {
  type PriceDefinition,
  type PriceProvider,
  patternOfName,
  type TierCondition,
} from "@/server/services/pricing/schemas";
import type { Subject } from "./subject";

/** A price while it is being edited: quoted amounts, all as text until it is sent. */
export type PriceForm = {
  provider: PriceProvider;
  modelName: string;
  /** Empty: matches only its own name. */
  matchPattern: string;
  tiers: TierForm[];
};
export type TierForm = {
  key: string;
  /** Set for a tier that is already stored. */
  id: string | undefined;
  name: string;
  isDefault: boolean;
  priority: string;
  conditions: ConditionForm[];
  prices: PriceRow[];
};
export type ConditionForm = {
  key: string;
  usageDetailPattern: string;
  operator: TierCondition["operator"];
  value: string;
};
export type PriceRow = { key: string; bucket: string; amount: string };

export const emptyRow = (bucket = ""): PriceRow => ({ key: randomId(), bucket, amount: "" });
export const emptyCondition = (): ConditionForm => ({
  key: randomId(),
  usageDetailPattern: "input",
  operator: "gt",
  value: "200000",
});
export const emptyTier = (over: Partial<TierForm> = {}): TierForm => ({
  key: randomId(),
  id: undefined,
  name: "Standard",
  isDefault: true,
  priority: "0",
  conditions: [],
  prices: [emptyRow("input_tokens"), emptyRow("output_tokens")],
  ...over,
});

/** Returns a new tier, evaluated after the existing ones, starting with the default's prices. */
export function nextTier(tiers: readonly TierForm[]): TierForm {
  const priority = Math.max(0, ...tiers.map((tier) => Number(tier.priority)).filter(Number.isFinite)) + 1;
  const prices = (tiers.find(({ isDefault }) => isDefault) ?? tiers[0])?.prices ?? [];
  return emptyTier({
    name: `Tier ${tiers.length + 1}`,
    isDefault: tiers.length === 0,
    priority: String(priority),
    conditions: tiers.length === 0 ? [] : [emptyCondition()],
    prices: prices.map((row) => ({ ...row, key: randomId() })),
  });
}

export function formOf(price: PriceDefinition | undefined, subject: Subject): PriceForm {
  if (!price) {
    return {
      provider: subject.vendor ?? "external",
      modelName: subject.model ?? "",
      matchPattern: "",
      tiers: [emptyTier()],
    };
  }
  return {
    provider: price.provider,
    modelName: price.modelName,
    matchPattern: price.matchPattern,
    tiers: price.pricingTiers.map((tier) => ({
      key: randomId(),
      id: tier.id,
      name: tier.name,
      isDefault: tier.isDefault,
      priority: String(tier.priority),
      conditions: tier.conditions.map((condition) => ({
        key: randomId(),
        ...condition,
        value: new Decimal(condition.value).toFixed(),
      })),
      prices: Object.entries(tier.prices).map(([bucket, price]) => ({
        key: randomId(),
        bucket,
        amount: quoted(bucket, price),
      })),
    })),
  };
}

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,3})?$/i;
const isNumber = (text: string) => NUMBER.test(text.trim());

export type FormErrors = Record<string, string>;

/**
 * Returns problems that the server could not report, because it never sees them: non-numeric amounts, duplicate
 * buckets.
 */
export function formFaults({ tiers }: PriceForm): FormErrors {
  const faults: FormErrors = {};
  tiers.forEach((tier, t) => {
    if (!isNumber(tier.priority)) faults[`tiers.${t}.priority`] = "Enter a number.";
    tier.conditions.forEach(({ value }, c) => {
      if (!isNumber(value)) faults[`tiers.${t}.conditions.${c}.value`] = "Enter a number.";
    });
    const seen = new Set<string>();
    tier.prices.forEach(({ bucket, amount }, p) => {
      const at = `tiers.${t}.prices.${p}`;
      if (bucket.trim() === "") faults[`${at}.bucket`] = "Name the bucket.";
      else if (seen.has(bucket.trim())) faults[`${at}.bucket`] = "This bucket already has a price above.";
      seen.add(bucket.trim());
      if (!isNumber(amount))
        faults[`${at}.amount`] = amount.trim() === "" ? "Enter an amount, or 0 if it is free." : "Enter a number.";
    });
  });
  return faults;
}

/** Returns the input to send. Only for a form without faults. */
export const definitionOf = ({ provider, modelName, matchPattern, tiers }: PriceForm) => ({
  provider,
  modelName: modelName.trim(),
  // Explicit: an omitted pattern would stay as it was.
  matchPattern: matchPattern.trim() === "" ? patternOfName(modelName.trim()) : matchPattern.trim(),
  pricingTiers: tiers.map(({ id, name, isDefault, priority, conditions, prices }) => ({
    ...(id === undefined ? {} : { id }),
    name: name.trim(),
    isDefault,
    priority: Number(priority),
    conditions: isDefault
      ? []
      : conditions.map(({ usageDetailPattern, operator, value }) => ({
          usageDetailPattern,
          operator,
          value: Number(value),
        })),
    prices: Object.fromEntries(prices.map(({ bucket, amount }) => [bucket.trim(), unquoted(bucket, amount.trim())])),
  })),
});

const unescaped = (part: string) => part.replaceAll("~1", "/").replaceAll("~0", "~");

/** Returns the form's path for a server pointer: `/pricingTiers/0/prices/x` → `tiers.0.prices.2.amount`. */
export function fieldAt(pointer: string, { tiers }: PriceForm): string {
  const [field, index, part, ...rest] = pointer.split("/").slice(1).map(unescaped);
  if (field !== "pricingTiers") return field ?? "";
  if (index === undefined) return "tiers";
  if (part === "prices" && rest[0] !== undefined) {
    const row = tiers[Number(index)]?.prices.findIndex(({ bucket }) => bucket.trim() === rest[0]) ?? -1;
    return `tiers.${index}.prices.${row}.amount`;
  }
  if (part === "id") return `tiers.${index}.name`;
  return ["tiers", index, part, ...rest].filter((one) => one !== undefined).join(".");
}

/** Returns the server's refusal as form errors; `below` is the pointers' prefix before a definition's own fields. */
export function errorsOf(
  errors: readonly { path: string; message: string }[],
  form: PriceForm,
  below = "",
): FormErrors {
  const shown: FormErrors = {};
  for (const { path, message } of errors) {
    const field = fieldAt(path.startsWith(below) ? path.slice(below.length) : path, form);
    shown[field] = shown[field] ? `${shown[field]} ${message}` : message;
  }
  return shown;
}
