"use client";
import { Button, Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { CopyButton } from "@/app/_components/controls/copy-button";
import { DataList } from "@/app/_components/data-table/data-list";
import type { ListColumn, ListQuery } from "@/app/_components/data-table/types";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { PageBody, PageSection } from "@/app/_components/layout/page-body";
import { PageHeader } from "@/app/_components/layout/page-header";
import { ScrollPre } from "@/app/_components/layout/scroll-pre";
import { Ago } from "@/app/_components/values/ago";
import { Dot } from "@/app/_components/values/dot";
import { fieldChanges } from "@/app/_components/values/field-changes";
import { FieldDiff } from "@/app/_components/values/field-diff";
import { formatCount, plural } from "@/app/_lib/format";
import { type RouterOutputs, useTRPC } from "@/app/_lib/trpc/client";
import { VENDOR_WORDS } from "@/app/p/[projectId]/_components/costs/price-words";
import { pageHref } from "../../../_components/shell/pages";
import { tierFields } from "../../_components/version-fields";
import { priceHref } from "../../_components/view";

type Update = NonNullable<RouterOutputs["modelPrices"]["catalogue"]["update"]>;
type Change = Update["changes"][number];

const KIND: Record<Change["change"], { word: string; color: string }> = {
  added: { word: "New", color: "var(--state-ok)" },
  changed: { word: "Changed", color: "var(--severity-medium)" },
  removed: { word: "Removed", color: "var(--severity-critical)" },
};

/** The date of the built-in prices, and what a pending update would change in this project. */
export function Catalogue({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const list = useQuery(trpc.modelPrices.catalogue.queryOptions({ projectId }));
  const { data, error, refetch, isFetching } = list;
  return (
    <>
      <PageHeader
        title="Price catalogue"
        aside={
          <Button component={Link} href={pageHref(projectId, "prices")} variant="default">
            Prices
          </Button>
        }
      />
      <PageBody>
        {data ? (
          <>
            <PageSection title="In effect">
              <Text size="sm">
                {plural(data.catalogue.definitions, "built-in price")}, published on <b>{data.catalogue.date}</b>,{" "}
                {data.catalogue.source === "shipped" ? "as shipped with this release" : "loaded by the operator"}
                {data.catalogue.appliedAt === null ? (
                  "."
                ) : (
                  <>
                    {" "}
                    and applied <Ago at={data.catalogue.appliedAt} />.
                  </>
                )}
              </Text>
            </PageSection>
            {data.update ? <Waiting projectId={projectId} update={data.update} list={list} /> : <NoUpdate />}
          </>
        ) : error ? (
          <ErrorState error={error} onRetry={() => void refetch()} retrying={isFetching} />
        ) : (
          <Skeleton m="md" height={80} role="status" aria-label="Loading the catalogue" />
        )}
      </PageBody>
    </>
  );
}

function Command({ children }: { children: string }) {
  return (
    <div style={{ display: "flex", gap: "0.5rem", alignItems: "center" }}>
      <ScrollPre label="Command">{children}</ScrollPre>
      <CopyButton value={children} label="Copy the command" />
    </div>
  );
}

const NoUpdate = () => (
  <PageSection title="Updates">
    <Stack gap="xs">
      <Text size="sm">
        No update is pending. The operator of this installation loads a newer catalogue on the command line; this page
        then shows what it would change before it is applied.
      </Text>
      <Command>npx whetstone prices load catalogue.json</Command>
    </Stack>
  </PageSection>
);

function Waiting({ projectId, update, list }: { projectId: string; update: Update; list: ListQuery }) {
  const counts = [
    update.added > 0 ? `${formatCount(update.added)} new` : null,
    update.changed > 0 ? `${formatCount(update.changed)} changed` : null,
    update.removed > 0 ? `${formatCount(update.removed)} removed` : null,
  ].filter(Boolean);
  return (
    <PageSection title={`Update of ${update.date} pending`}>
      <Stack gap="sm">
        <Text size="sm">
          Loaded <Ago at={update.loadedAt} />: {counts.length === 0 ? "no price changes" : counts.join(", ")}. Stored
          costs stay as they are.{" "}
          {update.overrides.length === 0
            ? "None of this project's overrides are affected."
            : `${plural(update.overrides.length, "override")} of this project ${update.overrides.length === 1 ? "stays" : "stay"} in effect instead of the new price.`}
        </Text>
        <Command>{`npx whetstone prices apply ${update.date}`}</Command>
        {update.changes.length > 0 ? (
          <DataList
            embedded
            list={list}
            name="What the update changes"
            what="price"
            columns={columnsOf(projectId)}
            rows={update.changes}
            rowId={({ id }) => id}
            rowName={({ modelName }) => modelName}
            details={(change) => <Difference change={change} />}
            minWidth={560}
            empty={null}
          />
        ) : null}
      </Stack>
    </PageSection>
  );
}

const columnsOf = (projectId: string): ListColumn<Change>[] => [
  {
    id: "change",
    header: "Change",
    accessorFn: ({ change }) => KIND[change].word,
    cell: ({ row }) => <Dot color={KIND[row.original.change].color}>{KIND[row.original.change].word}</Dot>,
  },
  {
    id: "model",
    header: "Model",
    accessorFn: ({ modelName }) => modelName,
    meta: { link: true },
    cell: ({ row: { original } }) => (
      <span className="mono">
        {original.change === "added" ? (
          original.modelName
        ) : (
          <Link href={priceHref(projectId, original.id)} prefetch={false}>
            {original.modelName}
          </Link>
        )}
      </span>
    ),
  },
  {
    id: "vendor",
    header: "Vendor",
    accessorFn: ({ provider }) => VENDOR_WORDS[provider],
    cell: ({ row }) => VENDOR_WORDS[row.original.provider],
  },
  {
    id: "here",
    header: "This project",
    accessorFn: ({ overridden }) => (overridden ? 0 : 1),
    cell: ({ row }) => (row.original.overridden ? "keeps its override" : "affected"),
  },
];

function Difference({ change }: { change: Change }) {
  const fields = fieldChanges(
    change.before && tierFields(change.before),
    change.after && tierFields(change.after),
  ).filter(({ kind }) => kind !== "same");
  const also = [
    change.namesChanged ? "the names it matches" : null,
    change.timelineChanged ? "prices at other times" : null,
  ].filter(Boolean);
  return (
    <>
      {fields.length > 0 ? <FieldDiff changes={fields} /> : null}
      {also.length > 0 ? (
        <Text size="xs" c="dimmed" mt={4}>
          Also: {also.join(" and ")}.
        </Text>
      ) : null}
    </>
  );
}
