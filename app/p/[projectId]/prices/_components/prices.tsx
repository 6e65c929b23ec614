"use client";
import { Button } from "@mantine/core";
import { IconCoin, IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useQueryStates } from "nuqs";
import { useMemo } from "react";
import { ListPage } from "@/app/_components/data-table/list-page";
import { EmptyState } from "@/app/_components/feedback/empty-state";
import { NoMatch } from "@/app/_components/feedback/no-match";
import { useTRPC } from "@/app/_lib/trpc/client";
import { useMay } from "../../_components/access/membership";
import { COLUMNS } from "./columns";
import { PriceFilters } from "./price-filters";
import { PricePeek } from "./price-peek";
import { UnpricedModels } from "./unpriced-models";
import {
  catalogueHref,
  editHref,
  isFiltered,
  NO_FILTERS,
  priceHref,
  repricingsHref,
  shownPrices,
  viewParsers,
  withUsage,
} from "./view";

/** Every price in force in this project: built-in ones, with the project's overrides and additions. */
export function Prices({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const may = useMay("model-pricing:write");
  const [view, setView] = useQueryStates(viewParsers, { history: "replace" });
  const list = useQuery(trpc.modelPrices.list.queryOptions({ projectId }));
  const usage = useQuery(trpc.modelPrices.usage.queryOptions({ projectId }));
  const { q, vendor, source } = view;
  const rows = useMemo(
    () => shownPrices(withUsage(list.data?.models ?? [], usage.data?.prices ?? []), { q, vendor, source }),
    [list.data, usage.data, q, vendor, source],
  );
  return (
    <ListPage
      title="Prices"
      filters={<PriceFilters view={view} setView={setView} />}
      menus={
        <>
          <Button component={Link} href={catalogueHref(projectId)} variant="default">
            Catalogue
          </Button>
          <Button component={Link} href={repricingsHref(projectId)} variant="default">
            Repricing
          </Button>
        </>
      }
      buttons={
        may ? (
          <Button component={Link} href={editHref(projectId)} leftSection={<IconPlus size={14} aria-hidden />}>
            New price
          </Button>
        ) : null
      }
      above={<UnpricedModels projectId={projectId} models={usage.data?.unpriced ?? []} />}
      list={list}
      what="price"
      columns={COLUMNS}
      rows={rows}
      rowId={(row) => row.id}
      rowName={(row) => row.modelName}
      rowHref={(row) => priceHref(projectId, row.id)}
      linkPeeks
      rowHeight={40}
      minWidth={1060}
      minWidthAside={600}
      peek={({ id, close }) => (
        <PricePeek
          key={id}
          projectId={projectId}
          modelPriceId={id}
          price={list.data?.models.find((price) => price.id === id)}
          onClose={close}
        />
      )}
      empty={<Nothing filtered={isFiltered({ q, vendor, source })} onClear={() => void setView(NO_FILTERS)} />}
    />
  );
}

const Nothing = ({ filtered, onClear }: { filtered: boolean; onClear: () => void }) =>
  filtered ? (
    <NoMatch title="No price matches" onClear={onClear}>
      The cost of a model without a price is unknown: its calls are shown with a dash, never with a zero.
    </NoMatch>
  ) : (
    <EmptyState icon={IconCoin} title="No prices">
      This installation has no catalogue, and the project has no prices of its own.
    </EmptyState>
  );
