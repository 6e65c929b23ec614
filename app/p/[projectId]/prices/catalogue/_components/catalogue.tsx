"use client";
import { Button, Skeleton, Stack, Table, Text, VisuallyHidden } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useState } from "react";
import { CopyButton } from "@/app/_components/controls/copy-button";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { PageBody, PageSection } from "@/app/_components/layout/page-body";
import { PageHeader } from "@/app/_components/layout/page-header";
import { ScrollPre } from "@/app/_components/layout/scroll-pre";
import { TableScroll } from "@/app/_components/layout/table-scroll";
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
  removed: { word: "Gone", color: "var(--severity-critical)" },
};

/** The date of the built-in prices, and what a pending update would change in this project. */
export function Catalogue({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const { data, error, refetch, isFetching } = useQuery(trpc.modelPrices.catalogue.queryOptions({ projectId }));
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
            <PageSection title="In force">
              <Text size="sm">
                {plural(data.catalogue.definitions, "built-in price")}, published on <b>{data.catalogue.date}</b>,{" "}
                {data.catalogue.source === "shipped" ? "as they came with this release" : "loaded by the operator"}
                {data.catalogue.appliedAt === null ? (
                  "."
                ) : (
                  <>
                    {" "}
                    and put in force <Ago at={data.catalogue.appliedAt} />.
                  </>
                )}
              </Text>
            </PageSection>
            {data.update ? <Waiting projectId={projectId} update={data.update} /> : <NoUpdate />}
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
        No update waits. The operator of this installation loads a newer catalogue by the command line; this page then
        says what it would change, before it is put in force.
      </Text>
      <Command>npm run -s cli -- prices load catalogue.json</Command>
    </Stack>
  </PageSection>
);

function Waiting({ projectId, update }: { projectId: string; update: Update }) {
  const counts = [
    update.added > 0 ? `${formatCount(update.added)} new` : null,
    update.changed > 0 ? `${formatCount(update.changed)} changed` : null,
    update.removed > 0 ? `${formatCount(update.removed)} gone` : null,
  ].filter(Boolean);
  return (
    <PageSection title={`An update of ${update.date} waits`}>
      <Stack gap="sm">
        <Text size="sm">
          Loaded <Ago at={update.loadedAt} />: {counts.length === 0 ? "it changes no price" : counts.join(", ")}. Stored
          costs stay as they are.{" "}
          {update.overrides.length === 0
            ? "None of this project's overrides is touched."
            : `${plural(update.overrides.length, "override")} of this project ${update.overrides.length === 1 ? "stays" : "stay"} in the place of what changes.`}
        </Text>
        <Command>{`npm run -s cli -- prices apply ${update.date}`}</Command>
        {update.changes.length > 0 ? (
          <TableScroll label="Changes of the update" minWidth={560}>
            <Table fz="sm" verticalSpacing={4} aria-label="What the update changes">
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>Change</Table.Th>
                  <Table.Th>Model</Table.Th>
                  <Table.Th>Vendor</Table.Th>
                  <Table.Th>This project</Table.Th>
                  <Table.Th>
                    <VisuallyHidden>Actions</VisuallyHidden>
                  </Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {update.changes.map((change) => (
                  <ChangeRow key={change.id} projectId={projectId} change={change} />
                ))}
              </Table.Tbody>
            </Table>
          </TableScroll>
        ) : null}
      </Stack>
    </PageSection>
  );
}

function ChangeRow({ projectId, change }: { projectId: string; change: Change }) {
  const [open, setOpen] = useState(false);
  const { word, color } = KIND[change.change];
  const fields = fieldChanges(
    change.before && tierFields(change.before),
    change.after && tierFields(change.after),
  ).filter(({ kind }) => kind !== "same");
  const also = [
    change.namesChanged ? "the names that it answers to" : null,
    change.timelineChanged ? "prices of another time" : null,
  ].filter(Boolean);
  return (
    <>
      <Table.Tr>
        <Table.Td>
          <Dot color={color}>{word}</Dot>
        </Table.Td>
        <Table.Td className="mono">
          {change.change === "added" ? (
            change.modelName
          ) : (
            <Link href={priceHref(projectId, change.id)} prefetch={false}>
              {change.modelName}
            </Link>
          )}
        </Table.Td>
        <Table.Td>{VENDOR_WORDS[change.provider]}</Table.Td>
        <Table.Td>{change.overridden ? "has an override, which stays" : "takes it over"}</Table.Td>
        <Table.Td ta="end">
          <Button
            variant="subtle"
            size="compact-xs"
            aria-expanded={open}
            aria-label={`${open ? "Hide" : "Show"} what changes of ${change.modelName}`}
            onClick={() => setOpen(!open)}
          >
            {open ? "Hide" : "Show"}
          </Button>
        </Table.Td>
      </Table.Tr>
      {open ? (
        <Table.Tr>
          <Table.Td colSpan={5}>
            {fields.length > 0 ? <FieldDiff changes={fields} /> : null}
            {also.length > 0 ? (
              <Text size="xs" c="dimmed" mt={4}>
                Also: {also.join(" and ")}.
              </Text>
            ) : null}
          </Table.Td>
        </Table.Tr>
      ) : null}
    </>
  );
}
