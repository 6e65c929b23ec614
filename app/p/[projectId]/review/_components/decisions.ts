import { IconCheck, IconCopyCheck, IconPencil, IconPlayerSkipForward, IconX } from "@tabler/icons-react";

/** What a reviewer can do with a candidate: the buttons below it, and their keys. */
export const DECISIONS = [
  { id: "approve", key: "a", label: "Approve", icon: IconCheck },
  { id: "edit", key: "e", label: "Edit…", icon: IconPencil },
  { id: "reject", key: "r", label: "Reject…", icon: IconX },
  { id: "pair", key: "p", label: "Make pair…", icon: IconCopyCheck },
  { id: "skip", key: "s", label: "Skip", icon: IconPlayerSkipForward },
] as const;
export type DecisionId = (typeof DECISIONS)[number]["id"];
