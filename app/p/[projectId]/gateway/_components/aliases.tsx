"use client";
import { Button } from "@mantine/core";
import { IconPlus, IconRoute } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { editAndDelete } from "@/app/_components/data-table/edit-and-delete";
import { ListPage } from "@/app/_components/data-table/list-page";
import { useListView } from "@/app/_components/data-table/use-list-view";
import { EmptyState } from "@/app/_components/feedback/empty-state";
import { useTRPC } from "@/app/_lib/trpc/client";
import { nextCursorPage } from "@/app/_lib/trpc/next-page";
import type { GatewayAlias } from "@/server/services/gateway/aliases/schemas";
import { useMay } from "../../_components/access/membership";
import { useModelConnections } from "../../_components/variants/use-model-connections";
import { AliasForm } from "./alias-form";
import { AliasPeek } from "./alias-peek";
import { columnsOf } from "./columns";
import { DeleteAlias } from "./delete-alias";
import { HowToCall } from "./how-to-call";

/** The names that calls of models may use, and what answers them. */
export function Aliases({ projectId, origin }: { projectId: string; origin: string }) {
  const trpc = useTRPC();
  const may = useMay("project:models:manage");
  const [edited, setEdited] = useState<GatewayAlias | "new" | null>(null);
  const [deleted, setDeleted] = useState<GatewayAlias | null>(null);
  const [isExplained, setExplained] = useState(false);
  const [, setView] = useListView();
  const connections = useModelConnections(projectId) ?? [];
  const list = useInfiniteQuery(trpc.gatewayAliases.list.infiniteQueryOptions({ projectId }, nextCursorPage));
  const rows = list.data?.pages.flatMap((page) => page.aliases) ?? [];
  const offered = may ? editAndDelete<GatewayAlias>(setEdited, setDeleted) : [];
  const add = may ? (
    <Button onClick={() => setEdited("new")} leftSection={<IconPlus size={14} aria-hidden />}>
      New alias
    </Button>
  ) : null;
  return (
    <ListPage
      title="Gateway"
      name="Aliases"
      buttons={
        <>
          <Button variant="default" onClick={() => setExplained(true)}>
            Call models…
          </Button>
          {add}
        </>
      }
      list={list}
      what="alias"
      columns={columnsOf(connections)}
      rows={rows}
      rowId={({ id }) => id}
      rowName={({ name }) => name}
      rowHref={({ id }) => `?peek=${encodeURIComponent(id)}`}
      linkPeeks
      minWidth={340}
      actions={offered}
      peek={({ id, row, close, act }) => (
        <AliasPeek
          key={id}
          projectId={projectId}
          origin={origin}
          aliasId={id}
          listed={row}
          connections={connections}
          actions={offered}
          onAct={act}
          onClose={close}
        />
      )}
      empty={
        <EmptyState icon={IconRoute} title="No aliases yet" action={add}>
          Applications call any model of the project at one address. An alias is a name of your own for that: its first
          model answers, and the next one does when that fails. Example: “fast”, with a small model of one provider and,
          as its fallback, one of another.
        </EmptyState>
      }
    >
      <AliasForm projectId={projectId} alias={edited} connections={connections} onClose={() => setEdited(null)} />
      <DeleteAlias
        projectId={projectId}
        alias={deleted}
        onDeleted={() => void setView({ peek: null })}
        onClose={() => setDeleted(null)}
      />
      <HowToCall
        projectId={projectId}
        origin={origin}
        opened={isExplained}
        aliases={rows}
        connections={connections}
        onClose={() => setExplained(false)}
      />
    </ListPage>
  );
}
