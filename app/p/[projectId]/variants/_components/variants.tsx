"use client";
import { Button } from "@mantine/core";
import { IconPlus, IconVersions } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import Link from "next/link";
import { ListPage } from "@/app/_components/data-table/list-page";
import { EmptyState } from "@/app/_components/feedback/empty-state";
import { useTRPC } from "@/app/_lib/trpc/client";
import { nextCursorPage } from "@/app/_lib/trpc/next-page";
import { useMay } from "../../_components/access/membership";
import { newVariantHref, variantHref } from "../../_components/variants/hrefs";
import { COLUMNS } from "./columns";

/** Changes to what models are sent, each version an entry, newest first. */
export function Variants({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const may = useMay("models:manage");
  const list = useInfiniteQuery(trpc.variants.list.infiniteQueryOptions({ projectId }, nextCursorPage));
  const add = may ? (
    <Button component={Link} href={newVariantHref(projectId)} leftSection={<IconPlus size={14} aria-hidden />}>
      New variant
    </Button>
  ) : null;
  return (
    <ListPage
      title="Variants"
      buttons={add}
      list={list}
      what="variant"
      columns={COLUMNS}
      rows={list.data?.pages.flatMap((page) => page.variants) ?? []}
      rowId={({ id }) => id}
      rowName={({ name, version }) => `${name}, version ${version}`}
      rowHref={({ id }) => variantHref(projectId, id)}
      rowHeight={58}
      minWidth={340}
      empty={
        <EmptyState icon={IconVersions} title="No variants yet" action={add}>
          A variant is another model, system prompt or parameter for what your application sends. Write one from a
          Finding, try it on its conversations, and prove that more answers are right: no training needed.
        </EmptyState>
      }
    />
  );
}
