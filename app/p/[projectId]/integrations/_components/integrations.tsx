"use client";
import { Button } from "@mantine/core";
import { IconPlugConnected, IconPlus } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { ListPage } from "@/app/_components/data-table/list-page";
import { EmptyState } from "@/app/_components/feedback/empty-state";
import { useTRPC } from "@/app/_lib/trpc/client";
import { nextPage } from "@/app/_lib/trpc/next-page";
import type { Connection } from "@/server/services/connections/schemas";
import { useMay } from "../../_components/access/membership";
import { managedColumns, nameColumns } from "./columns";
import { ConnectionForm } from "./connection-form";
import { DeleteConnection } from "./delete-connection";
import { IntegrationTabs } from "./integration-tabs";
import { WebhookDialog } from "./webhook-dialog";

/** A project's outside services. Readers who may not manage them see only their names. */
export function Integrations({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const manages = useMay("connections:manage");
  const [edited, setEdited] = useState<Connection | "new" | null>(null);
  const [hooked, setHooked] = useState<Connection | null>(null);
  const [deleted, setDeleted] = useState<Connection | null>(null);
  const list = useInfiniteQuery(trpc.connections.list.infiniteQueryOptions({ projectId, limit: 100 }, nextPage));
  const connections = list.data?.pages.flatMap((page) => page.connections) ?? [];
  const columns = manages
    ? managedColumns({ projectId, onEdit: setEdited, onWebhook: setHooked, onDelete: setDeleted })
    : nameColumns(projectId);
  const add = (
    <Button onClick={() => setEdited("new")} leftSection={<IconPlus size={14} aria-hidden />}>
      Add connection
    </Button>
  );
  return (
    <ListPage
      title="Integrations"
      buttons={manages ? add : null}
      above={<IntegrationTabs projectId={projectId} value="connections" />}
      list={list}
      name="Connections"
      what="connection"
      columns={columns}
      rows={connections}
      rowId={({ id }) => id}
      rowName={({ name }) => name}
      minWidth={manages ? 880 : 340}
      empty={<NoConnections action={manages ? add : undefined} />}
    >
      <ConnectionForm
        projectId={projectId}
        opened={edited !== null}
        connection={edited === "new" ? null : edited}
        onClose={() => setEdited(null)}
        onContinue={setEdited}
      />
      <WebhookDialog projectId={projectId} connection={hooked} onClose={() => setHooked(null)} />
      <DeleteConnection projectId={projectId} connection={deleted} onClose={() => setDeleted(null)} />
    </ListPage>
  );
}

const NoConnections = ({ action }: { action: React.ReactNode }) => (
  <EmptyState icon={IconPlugConnected} title="No connections" action={action}>
    A connection lets Whetstone use one of your services: ask a model, open an issue in your tracker, call a webhook,
    publish a tuned model. Its secret is stored encrypted and never shown again.
  </EmptyState>
);
