"use client";
import { Button } from "@mantine/core";
import { IconPlugConnected, IconPlus } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { EmptyState } from "@/app/_components/feedback/empty-state";
import { ListFrame } from "@/app/_components/layout/list-frame";
import { PageBody } from "@/app/_components/layout/page-body";
import { PageHeader } from "@/app/_components/layout/page-header";
import { useTRPC } from "@/app/_lib/trpc/client";
import { nextPage } from "@/app/_lib/trpc/next-page";
import type { Connection } from "@/server/services/connections/schemas";
import { useMay } from "../../_components/access/membership";
import { ConnectionForm } from "./connection-form";
import { ManagedConnection, NamedConnection } from "./connection-row";
import { DeleteConnection } from "./delete-connection";

const NAMES = [{ label: "Name" }, { label: "Kind" }];
const COLUMNS = [
  { label: "Name" },
  { label: "Kind", roomy: true },
  { label: "Host", roomy: true },
  { label: "Secret", roomy: true },
  { label: "Last test", roomy: true },
  { label: null },
];

/** A project's outside services. Readers who may not manage them see only their names. */
export function Integrations({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const manages = useMay("connections:manage");
  const [edited, setEdited] = useState<Connection | "new" | null>(null);
  const [deleted, setDeleted] = useState<Connection | null>(null);
  const list = useInfiniteQuery(trpc.connections.list.infiniteQueryOptions({ projectId, limit: 100 }, nextPage));
  const connections = list.data?.pages.flatMap((page) => page.connections) ?? [];
  const add = (
    <Button onClick={() => setEdited("new")} leftSection={<IconPlus size={14} aria-hidden />}>
      Add connection
    </Button>
  );
  return (
    <>
      <PageHeader title="Integrations" aside={manages ? add : undefined} />
      <PageBody>
        <ListFrame
          label="Connections"
          what="connection"
          columns={manages ? COLUMNS : NAMES}
          minWidth={340}
          list={list}
          count={connections.length}
          empty={<NoConnections action={manages ? add : undefined} />}
        >
          {connections.map((connection, index) =>
            manages && "baseUrl" in connection ? (
              <ManagedConnection
                key={connection.id}
                projectId={projectId}
                connection={connection}
                index={index}
                onEdit={() => setEdited(connection)}
                onDelete={() => setDeleted(connection)}
              />
            ) : (
              <NamedConnection key={connection.id} connection={connection} index={index} />
            ),
          )}
        </ListFrame>
      </PageBody>
      <ConnectionForm
        projectId={projectId}
        opened={edited !== null}
        connection={edited === "new" ? null : edited}
        onClose={() => setEdited(null)}
      />
      <DeleteConnection projectId={projectId} connection={deleted} onClose={() => setDeleted(null)} />
    </>
  );
}

const NoConnections = ({ action }: { action: React.ReactNode }) => (
  <EmptyState icon={<IconPlugConnected size={32} stroke={1.5} aria-hidden />} title="No connections" action={action}>
    A connection lets Whetstone talk to a service of yours: ask a model, open an issue in your tracker, call a webhook,
    publish a tuned model. Its secret is stored encrypted and never shown again.
  </EmptyState>
);
