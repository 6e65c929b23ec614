"use client";
import { Button } from "@mantine/core";
import { IconCoin, IconFilterOff, IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useQueryStates } from "nuqs";
import { useMemo } from "react";
import { ColumnMenu } from "@/app/_components/data-table/column-menu";
import { DataList } from "@/app/_components/data-table/data-list";
import { EmptyState } from "@/app/_components/feedback/empty-state";
import { PageHeader } from "@/app/_components/layout/page-header";
import panes from "@/app/_components/layout/panes.module.css";
import { useTRPC } from "@/app/_lib/trpc/client";
import { ESC, useKeys } from "@/app/_lib/use-keys";
import { useMay } from "../../_components/access/membership";
import { COLUMNS, HIDDEN_BESIDE_PEEK, HIDEABLE } from "./columns";
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
  useKeys({ [ESC]: () => view.peek && void setView({ peek: null }) });
  return (
    <>
      <PageHeader
        title="Prices"
        aside={
          <>
            <Button component={Link} href={catalogueHref(projectId)} variant="default">
              Catalogue
            </Button>
            <Button component={Link} href={repricingsHref(projectId)} variant="default">
              Repricing
            </Button>
            <ColumnMenu columns={HIDEABLE} hidden={view.hide} onChange={(hide) => void setView({ hide })} />
            {may ? (
              <Button component={Link} href={editHref(projectId)} leftSection={<IconPlus size={14} aria-hidden />}>
                New price
              </Button>
            ) : null}
          </>
        }
      >
        <PriceFilters view={view} setView={setView} />
      </PageHeader>
      <UnpricedModels projectId={projectId} models={usage.data?.unpriced ?? []} />
      <div className={panes.root}>
        <div className={panes.list}>
          <DataList
            list={list}
            label="Prices"
            loading="Loading prices"
            columns={COLUMNS}
            rows={rows}
            rowId={(row) => row.id}
            rowHref={(row) => priceHref(projectId, row.id)}
            hidden={view.peek ? HIDDEN_BESIDE_PEEK : view.hide}
            minWidth={view.peek ? 600 : 1060}
            activeId={view.peek}
            onPeek={(row) => void setView({ peek: row.id === view.peek ? null : row.id })}
            empty={<Nothing filtered={isFiltered({ q, vendor, source })} onClear={() => void setView(NO_FILTERS)} />}
          />
        </div>
        {view.peek ? (
          <PricePeek
            key={view.peek}
            projectId={projectId}
            modelPriceId={view.peek}
            price={list.data?.models.find(({ id }) => id === view.peek)}
            onClose={() => void setView({ peek: null })}
          />
        ) : null}
      </div>
    </>
  );
}

const Nothing = ({ filtered, onClear }: { filtered: boolean; onClear: () => void }) =>
  filtered ? (
    <EmptyState
      icon={<IconFilterOff size={32} stroke={1.5} aria-hidden />}
      title="No price matches"
      action={
        <Button variant="default" onClick={onClear}>
          Clear filters
        </Button>
      }
    >
      A model without a price costs what nobody knows: its calls are shown with a dash, never with a zero.
    </EmptyState>
  ) : (
    <EmptyState icon={<IconCoin size={32} stroke={1.5} aria-hidden />} title="No prices">
      This installation has no catalogue, and the project no prices of its own.
    </EmptyState>
  );
