"use client";
import { Button } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { problemOf } from "@/app/_lib/problem";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { Variant } from "@/server/services/proof/variants/schemas";
import { useMay } from "../../../_components/access/membership";
import { ConfirmDialog } from "../../../_components/confirm/confirm-dialog";
import { HandOffDialog } from "../../../_components/work-items/hand-off-dialog";
import type { HandOffSubject } from "../../../_components/work-items/use-hand-off";
import { ticketsInput } from "../../../findings/[findingId]/_components/shared-inputs";
import { isLinked, ticketName, type WorkItem } from "../../../findings/[findingId]/_components/ticket/ticket-words";

type Props = { projectId: string; variant: Variant };

/** Adds the change with its evidence to the ticket of the variant's Finding, which gets one first if it has none. */
export function HandOffAsTicket({ projectId, variant }: Props) {
  const may = useMay("diagnostics:write");
  if (!may || variant.findingId === null) return null;
  return <ForFinding projectId={projectId} variant={variant} findingId={variant.findingId} />;
}

function ForFinding({ projectId, variant, findingId }: Props & { findingId: string }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const [adding, setAdding] = useState<WorkItem | null>(null);
  const [subject, setSubject] = useState<HandOffSubject | null>(null);
  const query = useQuery(trpc.findings.get.queryOptions({ projectId, findingId }, { retry: false }));
  const written = query.data?.finding;
  // A merged Finding is part of another, which has the ticket.
  const ownerId = written?.mergedIntoId ?? findingId;
  const items = useQuery(
    trpc.workItems.listOfFinding.queryOptions(ticketsInput(projectId, ownerId), { enabled: !!written }),
  ).data?.workItems;
  const add = useMutation(
    trpc.variants.handOffAsTicket.mutationOptions({
      onSuccess: ({ isAdded, workItem }) => {
        setAdding(null);
        const name = "externalKey" in workItem ? ticketName(workItem) : "the ticket";
        notifications.show({
          message: isAdded
            ? `Added “${variant.name}” to ${name}`
            : `The tracker has not created ${name} yet. Hand it off again once it has.`,
        });
      },
      onSettled: () => queries.invalidateQueries({ queryKey: trpc.workItems.pathKey() }),
    }),
  );
  if (query.error) return null;
  const ticket = items?.find((item) => isLinked(item) && item.findingId === ownerId) ?? null;
  const send = () => add.mutate({ projectId, variantId: variant.id });
  return (
    <>
      <Button
        variant="default"
        disabled={items === undefined}
        onClick={() =>
          ticket ? setAdding(ticket) : setSubject({ findings: [{ id: ownerId, title: written?.title ?? "" }] })
        }
      >
        Hand off as a ticket…
      </Button>
      <ConfirmDialog
        subject={adding}
        onClose={() => setAdding(null)}
        title={(item) => `Add “${variant.name}” to ${ticketName(item)}?`}
        says={() =>
          "The change, what was measured, and answers before and after become a comment. Personal data and secrets are masked before anything is sent."
        }
        action="Add to ticket"
        danger={false}
        running={add}
        onConfirm={send}
      />
      <HandOffDialog
        projectId={projectId}
        subject={subject}
        onClose={() => setSubject(null)}
        onDone={({ said }) => {
          notifications.show({ message: said });
          setSubject(null);
          add.mutate(
            { projectId, variantId: variant.id },
            {
              onError: (error) =>
                notifications.show({ color: "red", message: `Could not add the change: ${problemOf(error).detail}` }),
            },
          );
        }}
      />
    </>
  );
}
