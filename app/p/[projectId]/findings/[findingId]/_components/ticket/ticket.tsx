"use client";
import { Button, DataList, Group, Skeleton } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { Ago } from "@/app/_components/values/ago";
import { capitalized } from "@/app/_lib/format";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { FindingDetail } from "@/server/services/diagnostics/schemas";
import { useMay } from "../../../../_components/access/membership";
import { whoMay } from "../../../../_components/access/role-words";
import { HandOffDialog } from "../../../../_components/work-items/hand-off-dialog";
import type { HandOffSubject } from "../../../../_components/work-items/use-hand-off";
import classes from "../finding-page.module.css";
import { ticketsInput } from "../shared-inputs";
import { LinkedTicket, TicketLink } from "./linked-ticket";
import { isLinked, type WorkItem } from "./ticket-words";

const PENDING_MS = 2_000;
/** Often enough that closing a ticket in the tracker shows here soon. */
const LINKED_MS = 5_000;

/** A Finding's ticket in an issue tracker, with its previous tickets. */
export function Ticket({ projectId, finding }: { projectId: string; finding: FindingDetail }) {
  const { query, items } = useWorkItems(projectId, finding.id);
  const may = useMay("diagnostics:write");
  const [subject, setSubject] = useState<HandOffSubject | null>(null);
  if (query.error && items.length === 0)
    return <ErrorState error={query.error} onRetry={() => void query.refetch()} retrying={query.isFetching} />;
  const linked = items.filter(isLinked);
  const earlier = items.filter((item) => !isLinked(item));
  // A merge moves the ticket along; a Finding merged by an earlier version may still have its own.
  const own = linked.find(({ findingId }) => findingId === finding.id);
  const others = linked.filter((item) => item !== own);
  const findings = [finding];
  return (
    <section aria-label="Ticket">
      {own ? (
        <LinkedTicket
          projectId={projectId}
          item={own}
          onReplace={() => setSubject({ findings, replaces: replacing(own) })}
        />
      ) : (
        <>
          <h2 className={classes.heading}>Ticket</h2>
          {query.data ? (
            <NoTicket may={may} canHandOff={finding.mergedIntoId === null} onHandOff={() => setSubject({ findings })} />
          ) : (
            <Skeleton height={30} role="status" aria-label="Loading the ticket" />
          )}
        </>
      )}
      {others.map((item) => (
        <LinkedTicket key={item.id} projectId={projectId} item={item} />
      ))}
      <EarlierTickets items={earlier} />
      <HandOffDialog
        projectId={projectId}
        subject={subject}
        onClose={() => setSubject(null)}
        onDone={({ said }) => {
          notifications.show({ message: said });
          setSubject(null);
        }}
      />
    </section>
  );
}

const replacing = ({ id: workItemId, externalKey: key, connectionId, destination }: WorkItem) => ({
  workItemId,
  key,
  connectionId,
  destination,
});

/** Returns a Finding's work items, newest first, live; reloads the Finding when they change. */
function useWorkItems(projectId: string, findingId: string) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const query = useQuery(
    trpc.workItems.listOfFinding.queryOptions(ticketsInput(projectId, findingId), {
      refetchInterval: ({ state }) => {
        const linked = state.data?.workItems.filter(isLinked) ?? [];
        if (linked.length === 0) return false;
        return linked.some((item) => item.state === "pending") ? PENDING_MS : LINKED_MS;
      },
    }),
  );
  const items = query.data?.workItems ?? [];
  const version = query.data ? items.map(({ id, state, updatedAt }) => `${id} ${state} ${updatedAt}`).join() : null;
  const seen = useRef(version);
  useEffect(() => {
    if (seen.current !== null && seen.current !== version) {
      void queries.invalidateQueries({ queryKey: trpc.findings.pathKey() });
      void queries.invalidateQueries({ queryKey: trpc.workItems.changes.pathKey() });
      void queries.invalidateQueries({ queryKey: trpc.workItems.references.pathKey() });
    }
    seen.current = version;
  }, [version, queries, trpc]);
  return { query, items };
}

type NoTicketProps = { may: boolean; canHandOff: boolean; onHandOff: () => void };

function NoTicket({ may, canHandOff, onHandOff }: NoTicketProps) {
  if (!canHandOff) return <p className={classes.quiet}>Hand off the Finding that this one was merged into.</p>;
  if (!may) return <p className={classes.quiet}>None. {capitalized(whoMay("diagnostics:write"))} can hand it off.</p>;
  return (
    <Group gap="sm" wrap="nowrap">
      <Button variant="default" style={{ flexShrink: 0 }} onClick={onHandOff}>
        Hand off…
      </Button>
      <span className={classes.quiet}>Creates a ticket in your issue tracker.</span>
    </Group>
  );
}

const ENDS: Partial<Record<WorkItem["state"], string>> = { replaced: "Replaced", abandoned: "Abandoned" };

function EarlierTickets({ items }: { items: readonly WorkItem[] }) {
  if (items.length === 0) return null;
  return (
    <DataList size="xs" gap={6} labelWidth={104} mt={10} aria-label="Earlier tickets">
      {items.map((item) => (
        <DataList.Item key={item.id}>
          <DataList.ItemLabel>{ENDS[item.state]}</DataList.ItemLabel>
          <DataList.ItemValue miw={0} style={{ overflowWrap: "anywhere" }}>
            <TicketLink item={item} />, <Ago at={item.updatedAt} />
          </DataList.ItemValue>
        </DataList.Item>
      ))}
    </DataList>
  );
}
