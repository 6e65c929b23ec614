"use client";
import { ActionIcon, Menu } from "@mantine/core";
import { IconDots, IconRefresh, IconReplace, IconUnlink } from "@tabler/icons-react";
import { useState } from "react";
import { useMay } from "../../../../_components/access/membership";
import { ConfirmDialog } from "../../../../_components/confirm/confirm-dialog";
import { TRACKER_WORDS } from "../../../../_components/work-items/tracker-words";
import { ticketName, type WorkItem } from "./ticket-words";
import { useTicketChanges } from "./use-ticket-changes";

type Props = {
  projectId: string;
  item: WorkItem;
  onReplace: (() => void) | undefined;
};

/** The actions on a Finding's link to its ticket; renders nothing for those who may only read. */
export function TicketMenu({ projectId, item, onReplace }: Props) {
  const may = useMay("diagnostics:write");
  const { sync, abandon } = useTicketChanges(item);
  const [abandoning, setAbandoning] = useState<WorkItem | null>(null);
  const which = { projectId, findingId: item.findingId, workItemId: item.id };
  const { label } = TRACKER_WORDS[item.provider];
  if (!may) return null;
  const isReadable = item.state === "open" || item.state === "closed";
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon
            variant="subtle"
            color="gray"
            loading={sync.isPending}
            aria-label={`More for ${ticketName(item)}`}
          >
            <IconDots size={16} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {isReadable ? (
            <Menu.Item leftSection={<IconRefresh size={14} aria-hidden />} onClick={() => sync.mutate(which)}>
              Sync now
            </Menu.Item>
          ) : null}
          {onReplace ? (
            <Menu.Item leftSection={<IconReplace size={14} aria-hidden />} onClick={onReplace}>
              Replace…
            </Menu.Item>
          ) : null}
          <Menu.Item color="red" leftSection={<IconUnlink size={14} aria-hidden />} onClick={() => setAbandoning(item)}>
            Abandon…
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <ConfirmDialog
        subject={abandoning}
        onClose={() => setAbandoning(null)}
        title={(one) => `Abandon ${ticketName(one)}?`}
        says={() => `The Finding and the ticket no longer sync. The ticket stays in ${label}.`}
        action="Abandon ticket"
        keep="Keep it"
        running={abandon}
        onConfirm={() => abandon.mutate(which, { onSuccess: () => setAbandoning(null) })}
      />
    </>
  );
}
