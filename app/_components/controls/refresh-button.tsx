import { ActionIcon, Tooltip } from "@mantine/core";
import { IconRefresh } from "@tabler/icons-react";

/** Reloads the page's data; `busy` while it is loading. */
export const RefreshButton = ({ busy, onRefresh }: { busy: boolean; onRefresh: () => void }) => (
  <Tooltip label="Refresh">
    <ActionIcon variant="default" size={30} aria-label="Refresh" onClick={onRefresh} loading={busy}>
      <IconRefresh size={16} aria-hidden />
    </ActionIcon>
  </Tooltip>
);
