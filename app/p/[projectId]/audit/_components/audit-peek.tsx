import { Text } from "@mantine/core";
import { PeekPanel } from "@/app/_components/layout/peek-panel";
import type { AuditEntry } from "@/server/services/audit/schemas";
import { actionWords } from "../../_components/audit/audit-words";
import { thingHref } from "../../_components/things/thing-href";
import { Change } from "./change";

type Props = {
  projectId: string;
  /** Absent if it is not among the loaded rows. */
  entry: AuditEntry | undefined;
  onClose: () => void;
};

/** A change next to the log: its old and new values, and where it came from. */
export const AuditPeek = ({ projectId, entry, onClose }: Props) => (
  <PeekPanel label="Change" title={entry ? actionWords(entry.action) : "Change"} onClose={onClose}>
    {entry ? (
      <Change entry={entry} href={entry.target && thingHref(projectId, entry.target)} />
    ) : (
      <Text p="md" size="sm" c="dimmed">
        This change is not among the rows loaded so far.
      </Text>
    )}
  </PeekPanel>
);
