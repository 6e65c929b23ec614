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

/** What helps after a failure: another attempt, or a new ticket where the old one is gone. Nothing while nothing failed. */
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
