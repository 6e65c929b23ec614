import type { RouterInputs, RouterOutputs } from "@/app/_lib/trpc/client";
import { SEVERITIES, SEVERITY_WORDS } from "@/app/p/[projectId]/_components/findings/severity-words";
import { REASON_WORDS } from "@/server/services/diagnostics/findings/schemas";
import type { Finding } from "@/server/services/diagnostics/schemas";

export type FindingChange = RouterInputs["findings"]["updateMany"]["set"];
type Assignee = RouterOutputs["findings"]["assignees"]["assignees"][number];

/** What a reader can set on Findings: through a button or a menu entry, some with a key, and the text of its toast. */
export type ReviewChoice = {
  id: string;
  label: string;
  key?: string;
  /** The menu that offers it. */
  group?: "Dismiss" | "Assign" | "Severity";
  change: FindingChange;
  done: string;
  applies?: (finding: Finding) => boolean;
};

const isOpen = ({ reviewStatus }: Finding) => reviewStatus !== "dismissed";
const isResolved = ({ resolutionStatus }: Finding) => resolutionStatus === "resolved";

type Reason = NonNullable<Finding["dismissalReason"]>;

const dismissalAs = (reason: Reason, label: string, key?: string): ReviewChoice => ({
  id: reason,
  label,
  group: "Dismiss",
  ...(key ? { key } : {}),
  change: { reviewStatus: "dismissed", dismissalReason: reason },
  done: `Dismissed as ${REASON_WORDS[reason]}:`,
  applies: ({ dismissalReason }) => dismissalReason !== reason,
});

/** `r` resolves a Finding, or unresolves a resolved one. */
const FIXED: readonly ReviewChoice[] = [
  {
    id: "confirm",
    label: "Confirm",
    key: "c",
    change: { reviewStatus: "confirmed" },
    done: "Confirmed",
    applies: ({ reviewStatus }) => reviewStatus !== "confirmed",
  },
  {
    id: "resolve",
    label: "Resolve",
    key: "r",
    change: { resolutionStatus: "resolved" },
    done: "Resolved",
    applies: (finding) => isOpen(finding) && !isResolved(finding),
  },
  {
    id: "unresolve",
    label: "Unresolve",
    key: "r",
    change: { resolutionStatus: "unresolved" },
    done: "Unresolved",
    applies: (finding) => isOpen(finding) && isResolved(finding),
  },
  {
    id: "dismiss",
    label: "Dismiss",
    key: "e",
    group: "Dismiss",
    change: { reviewStatus: "dismissed" },
    done: "Dismissed",
    applies: isOpen,
  },
  {
    id: "untilWorse",
    label: "Until it gets worse",
    group: "Dismiss",
    change: { reviewStatus: "dismissed", untilWorse: true },
    done: "Dismissed until it gets worse:",
    applies: ({ dismissedUntilWorse }) => !dismissedUntilWorse,
  },
  dismissalAs("wrong", "Wrong Finding", "w"),
  dismissalAs("expected", "Expected behaviour"),
  dismissalAs("not_important", "Not important"),
  dismissalAs("duplicate", "Duplicate"),
  dismissalAs("other", "Another reason"),
];

const ASSIGN_TO_ME: ReviewChoice = {
  id: "assign",
  label: "Assign to me",
  key: "a",
  group: "Assign",
  change: { assigneeId: "me" },
  done: "Assigned to you:",
};

const assignTo = ({ userId, name }: Assignee): ReviewChoice => ({
  id: `assign:${userId}`,
  label: name,
  group: "Assign",
  change: { assigneeId: userId },
  done: `Assigned to ${name}:`,
  applies: ({ assigneeId }) => assigneeId !== userId,
});

const UNASSIGN: ReviewChoice = {
  id: "unassign",
  label: "Unassign",
  group: "Assign",
  change: { assigneeId: null },
  done: "Unassigned",
  applies: ({ assigneeId }) => assigneeId !== null,
};

const PINS: readonly ReviewChoice[] = [
  ...SEVERITIES.map(
    (value): ReviewChoice => ({
      id: `severity:${value}`,
      label: SEVERITY_WORDS[value],
      group: "Severity",
      change: { severity: value },
      done: `Pinned to ${SEVERITY_WORDS[value].toLowerCase()}:`,
      applies: ({ pinnedSeverity }) => pinnedSeverity !== value,
    }),
  ),
  {
    id: "severity:automatic",
    label: "Automatic",
    group: "Severity",
    change: { severity: null },
    done: "Severity back to automatic:",
    applies: ({ pinnedSeverity }) => pinnedSeverity !== null,
  },
];

const UNREVIEW: ReviewChoice = {
  id: "unreview",
  label: "Back to review",
  change: { reviewStatus: "unreviewed" },
  done: "Back for review:",
  applies: ({ reviewStatus }) => reviewStatus !== "unreviewed",
};

/** Returns everything that a reader who may review can choose, in the order on screen. */
export const reviewChoices = (assignees: readonly Assignee[]): readonly ReviewChoice[] => [
  ...FIXED,
  ASSIGN_TO_ME,
  ...assignees.filter(({ me }) => !me).map(assignTo),
  UNASSIGN,
  ...PINS,
  UNREVIEW,
];
