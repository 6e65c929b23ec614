import { Decimal } from "decimal.js";

/** Precise enough for any product of two doubles, so that no step of a sum rounds. */
const Wide = Decimal.clone({ precision: 1000, toExpNeg: -9e15, toExpPos: 9e15 });

/** 10^0 … 10^22: the powers of ten that a double represents exactly. */
const POWERS_OF_TEN = Array.from({ length: 23 }, (_, exponent) => Number(`1e${exponent}`));
const SCALE_MAX = POWERS_OF_TEN.length - 1;

/** Prices as integers in units of 10^-scale dollars, which add exactly and fast. */
export type ScaledPrices = { scale: number; units: ReadonlyMap<string, number> };

/** Returns `null` when a price has too many digits; callers then use `exactProduct` and `exactSum`. */
export function scaledPrices(prices: ReadonlyMap<string, number>): ScaledPrices | null {
  const exact = [...prices].map(([bucket, price]) => [bucket, new Wide(price)] as const);
  const scale = Math.max(0, ...exact.map(([, price]) => price.decimalPlaces()));
  if (scale > SCALE_MAX) return null;
  const units = new Map(exact.map(([bucket, price]) => [bucket, price.times(POWERS_OF_TEN[scale]!).toNumber()]));
  return [...units.values()].every(Number.isSafeInteger) ? { scale, units } : null;
}

/** Returns the double nearest to `units` × 10^-scale: both operands are exact, and the division rounds once. */
export const toDollars = (units: number, scale: number) => units / POWERS_OF_TEN[scale]!;

/** Returns `units` × 10^-scale in full, without exponent or trailing zeros. */
export function toDecimalString(units: number, scale: number): string {
  if (units === 0) return "0";
  const digits = String(units).padStart(scale + 1, "0");
  let end = digits.length;
  const point = digits.length - scale;
  while (end > point && digits.charCodeAt(end - 1) === 48) end--;
  return end === point ? digits.slice(0, point) : `${digits.slice(0, point)}.${digits.slice(point, end)}`;
}

export const exactProduct = (count: number, price: number) => new Wide(count).times(price);
export const exactSum = (parts: readonly Decimal[]) => parts.reduce((sum, part) => sum.plus(part), new Wide(0));

/** Adds doubles without intermediate rounding; only integers below 2^53 are added natively. */
export const addExactly = (counts: readonly number[]) =>
  counts.every(Number.isSafeInteger)
    ? counts.reduce((a, b) => a + b, 0)
    : exactSum(counts.map((n) => new Wide(n))).toNumber();
