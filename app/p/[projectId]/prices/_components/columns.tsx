import type { ColumnDef } from "@tanstack/react-table";
import { Unknown } from "@/app/_components/values/unknown";
import { plural } from "@/app/_lib/format";
import { CostTotal } from "@/app/p/[projectId]/_components/costs/cost-total";
import { formatPrice, VENDOR_WORDS } from "@/app/p/[projectId]/_components/costs/price-words";
import type { PriceDefinition } from "@/server/services/pricing/schemas";
import { PriceSource } from "./price-source";
import type { PriceRow } from "./view";

const defaultTier = ({ pricingTiers }: PriceDefinition) => pricingTiers.find(({ isDefault }) => isDefault);

/** The default tier's price of a bucket. */
function Price({ of, bucket }: { of: PriceDefinition; bucket: string }) {
  const price = defaultTier(of)?.prices[bucket];
  return price === undefined ? <Unknown /> : <span className="tabular">{formatPrice(bucket, price)}</span>;
}

type Column = ColumnDef<PriceRow> & { id: string };
export const COLUMNS: Column[] = [
  {
    id: "model",
    header: "Model",
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
    meta: { width: "8rem" },
    cell: ({ row }) => VENDOR_WORDS[row.original.provider],
  },
  {
    id: "source",
    header: "Price",
    meta: { width: "9.5rem" },
    cell: ({ row }) => <PriceSource source={row.original.source} />,
  },
  {
    id: "lately",
    header: "Last 30 days",
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
    meta: { width: "9rem", align: "end" },
    cell: ({ row }) => <Price of={row.original} bucket="input_tokens" />,
  },
  {
    id: "cached",
    header: "Cached input",
    meta: { width: "9rem", align: "end" },
    cell: ({ row }) => <Price of={row.original} bucket="cache_read_input_tokens" />,
  },
  {
    id: "output",
    header: "Output",
    meta: { width: "9rem", align: "end" },
    cell: ({ row }) => <Price of={row.original} bucket="output_tokens" />,
  },
  {
    id: "tiers",
    header: "Tiers",
    meta: { width: "4.5rem", align: "end" },
    cell: ({ row }) => <span className="tabular">{row.original.pricingTiers.length}</span>,
  },
];

export const HIDEABLE = COLUMNS.filter((column) => column.id !== "model").map(({ id, header }) => ({
  id,
  label: String(header),
}));

/** Columns shown while a price is open next to the list. */
export const HIDDEN_BESIDE_PEEK = ["cached", "tiers", "vendor", "source"];
