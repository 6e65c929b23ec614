"use client";
import { Button, Group } from "@mantine/core";
import { IconReplace, IconRotate } from "@tabler/icons-react";
import { useMay } from "../../../../_components/access/membership";
import { mayRetry, type TicketChange, type WorkItem } from "./ticket-words";
import { useTicketChanges } from "./use-ticket-changes";

type Props = {
  projectId: string;
  item: WorkItem;
  changes: readonly TicketChange[];
  onReplace: (() => void) | undefined;
};

/** Offers a retry after a failure, or a new ticket if the old one is gone. Renders nothing if nothing has failed. */
export function AfterFailure({ projectId, item, changes, onReplace }: Props) {
  const may = useMay("diagnostics:write");
  const { retry } = useTicketChanges(item);
  const canRetry = mayRetry(item, changes);
  const isGone = item.state === "failed" && !canRetry;
  if (!may || !(canRetry || (isGone && onReplace))) return null;
  return (
    <Group mt={8}>
      {canRetry ? (
        <Button
          variant="default"
          size="compact-sm"
          leftSection={<IconRotate size={14} aria-hidden />}
          loading={retry.isPending}
          onClick={() => retry.mutate({ projectId, findingId: item.findingId, workItemId: item.id })}
        >
          Try again
        </Button>
      ) : (
        <Button
          variant="default"
          size="compact-sm"
          leftSection={<IconReplace size={14} aria-hidden />}
          onClick={onReplace}
        >
          Replace…
        </Button>
      )}
    </Group>
  );
}
