import { priceListOfWord, type Vendor } from "../matching/providers";
import { FULL_DATE, MONTH_AND_DAY, MONTH_AND_YEAR, type ModelNames } from "./name-patterns";

/** US dollars per million input and output tokens as text, for comparison only. */
export type ListPrice = string;
export type PricedNames = ModelNames & { vendor: Vendor; price: ListPrice };

const SNAPSHOT = new RegExp(`^(.+?)-(?:${FULL_DATE}|${MONTH_AND_DAY}|${MONTH_AND_YEAR})$`);

/** Returns the name of which this is a dated snapshot, or `null` for a name without a date. */
const snapshotOf = (name: string) => SNAPSHOT.exec(name.toLowerCase())?.[1] ?? null;

const allNames = ({ names, stems }: ModelNames) => [...names, ...stems].map((name) => name.toLowerCase());

/** Returns a router's prices by `<our vendor>:<model>`, for ids that begin with a vendor's name. */
export function pricesByVendor(models: readonly { id: string; price: ListPrice | null }[]): Map<string, ListPrice> {
  const found = new Map<string, ListPrice>();
  for (const { id, price } of models) {
    const [maker = "", name] = id.toLowerCase().split("/");
    const vendor = priceListOfWord(maker);
    if (vendor && name && price) found.set(`${vendor}:${name}`, price);
  }
  return found;
}

/**
 * Removes dated names of a row that do not have the row's price: a router lists them separately from the undated name and
 * at another price.
 */
export function withoutOtherPrices<R extends PricedNames>(row: R, router: ReadonlyMap<string, ListPrice>): R {
  const routed = (name: string) => router.get(`${row.vendor}:${name.toLowerCase()}`);
  const undated = allNames(row).flatMap((name) => (snapshotOf(name) === null ? (routed(name) ?? []) : []));
  const isOther = (name: string) => {
    const price = snapshotOf(name) === null ? undefined : routed(name);
    return price !== undefined && price !== row.price && undated.length > 0 && !undated.includes(price);
  };
  return {
    ...row,
    names: row.names.filter((name) => !isOther(name)),
    stems: row.stems.filter((name) => !isOther(name)),
  };
}

/** Returns whether a snapshot of the row's model has another price, which makes the price of unlisted snapshots unknown. */
export function snapshotsDiffer(row: PricedNames, listed: PricedNames, rows: readonly PricedNames[]): boolean {
  if (allNames(row).length < allNames(listed).length) return true;
  const own = new Set(allNames(row));
  return rows.some(
    (other) =>
      other.vendor === row.vendor &&
      other.price !== row.price &&
      allNames(other).some((name) => own.has(snapshotOf(name) ?? "")),
  );
}
