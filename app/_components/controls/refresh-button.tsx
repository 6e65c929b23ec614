import { ActionIcon, Tooltip } from "@mantine/core";
import { IconRefresh } from "@tabler/icons-react";

/** Asks for what a page shows once more; `busy` while the answer is on its way. */
export const RefreshButton = ({ busy, onRefresh }: { busy: boolean; onRefresh: () => void }) => (
  <Tooltip label="Refresh">
    <ActionIcon variant="default" size={30} aria-label="Refresh" onClick={onRefresh} loading={busy}>
      <IconRefresh size={16} aria-hidden />
    </ActionIcon>
  </Tooltip>
);
