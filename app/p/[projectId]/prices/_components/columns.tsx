import type { ListColumn } from "@/app/_components/data-table/types";
import { Unknown } from "@/app/_components/values/unknown";
import { plural } from "@/app/_lib/format";
import { CostTotal } from "@/app/p/[projectId]/_components/costs/cost-total";
import { formatPrice, VENDOR_WORDS } from "@/app/p/[projectId]/_components/costs/price-words";
import type { PriceDefinition } from "@/server/services/pricing/schemas";
import { PriceSource } from "./price-source";
import type { PriceRow } from "./view";

const defaultTier = ({ pricingTiers }: PriceDefinition) => pricingTiers.find(({ isDefault }) => isDefault);

const amountOf = (price: PriceDefinition, bucket: string) => defaultTier(price)?.prices[bucket];

/** The default tier's price of a bucket. */
function Price({ of, bucket }: { of: PriceDefinition; bucket: string }) {
  const price = amountOf(of, bucket);
  return price === undefined ? <Unknown /> : <span className="tabular">{formatPrice(bucket, price)}</span>;
}

export const COLUMNS: ListColumn<PriceRow>[] = [
  {
    id: "model",
    header: "Model",
    accessorFn: (price) => price.modelName,
    meta: { link: true },
    cell: ({ row: { original } }) => (
      <span className="mono" title={original.modelName}>
        {original.modelName}
      </span>
    ),
  },
  {
    id: "vendor",
    header: "Vendor",
    accessorFn: (price) => VENDOR_WORDS[price.provider],
    meta: { aside: true, width: "8rem" },
    cell: ({ row }) => VENDOR_WORDS[row.original.provider],
  },
  {
    id: "source",
    header: "Price",
    accessorFn: (price) => price.source,
    meta: { aside: true, width: "9.5rem" },
    cell: ({ row }) => <PriceSource source={row.original.source} />,
  },
  {
    id: "lately",
    header: "Last 30 days",
    accessorFn: (price) => price.recent?.cost ?? undefined,
    meta: { width: "8rem", align: "end" },
    cell: ({ row: { original } }) =>
      original.recent ? (
        <CostTotal
          usd={original.recent.cost}
          unpriced={original.recent.unpricedCalls}
          note={plural(original.recent.calls, "call")}
          below
        />
      ) : (
        <Unknown why="no calls in the last 30 days" />
      ),
  },
  {
    id: "input",
    header: "Input",
    accessorFn: (price) => amountOf(price, "input_tokens"),
    meta: { width: "9rem", align: "end" },
    cell: ({ row }) => <Price of={row.original} bucket="input_tokens" />,
  },
  {
    id: "cached",
    header: "Cached input",
    accessorFn: (price) => amountOf(price, "cache_read_input_tokens"),
    meta: { aside: true, width: "9rem", align: "end" },
    cell: ({ row }) => <Price of={row.original} bucket="cache_read_input_tokens" />,
  },
  {
    id: "output",
    header: "Output",
    accessorFn: (price) => amountOf(price, "output_tokens"),
    meta: { width: "9rem", align: "end" },
    cell: ({ row }) => <Price of={row.original} bucket="output_tokens" />,
  },
  {
    id: "tiers",
    header: "Tiers",
    accessorFn: (price) => price.pricingTiers.length,
    meta: { aside: true, width: "4.5rem", align: "end" },
    cell: ({ row }) => <span className="tabular">{row.original.pricingTiers.length}</span>,
  },
];
