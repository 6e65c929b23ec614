import { Box } from "@mantine/core";
import type { Fold, ListColumn } from "@/app/_components/data-table/types";
import { Ago } from "@/app/_components/values/ago";
import { Dot } from "@/app/_components/values/dot";
import { formatCount, formatDuration, plural, UNKNOWN } from "@/app/_lib/format";
import type { ListedRuleRun, RuleRun } from "@/server/services/diagnostics/schemas";
import { ThingId } from "../../_components/things/thing-id";
import { ThingName } from "../../_components/things/thing-name";
import classes from "./rule-runs.module.css";
import { RUN_STATUS, RunStatus } from "./run-status";
import { ORIGIN_WORD } from "./view";

/** A Run's result in a line. */
export const outcomeOf = (run: RuleRun) => {
  if (run.errorMessage !== null) return run.errorMessage;
  if (run.skipReason !== null) return run.skipReason;
  if (run.resultCount === null) return UNKNOWN;
  return run.resultCount === 0 ? "Nothing found" : plural(run.resultCount, "occurrence");
};

/** The same for where the status has no column: with the status, unless the result implies it. */
const statedOutcomeOf = (run: RuleRun) => {
  if (run.status === "completed") return outcomeOf(run);
  const { word } = RUN_STATUS[run.status];
  const outcome = outcomeOf(run);
  return outcome === UNKNOWN ? word : `${word}: ${outcome}`;
};

/** How a Run's conversation is shown: by its first message, else by its id. */
export const conversationOf = ({ conversationId, conversationPreview }: ListedRuleRun) =>
  conversationPreview ?? conversationId;

/** Folds Runs that found nothing. */
export const NOTHING_FOUND: Fold<ListedRuleRun> = {
  of: ({ status, resultCount }) => (status === "completed" && resultCount === 0 ? status : null),
  words: (runs) => (
    <>
      <b>{formatCount(runs.length)} completed</b> and found nothing
    </>
  ),
  at: ({ createdAt }) => createdAt,
};

export const columnsOf = (projectId: string): ListColumn<ListedRuleRun>[] => [
  {
    id: "status",
    header: "Status",
    meta: { width: "7.5rem", roomy: true },
    cell: ({ row }) => <RunStatus status={row.original.status} />,
  },
  {
    id: "rule",
    header: "Rule",
    meta: { width: "10rem", roomy: true },
    cell: ({ row: { original } }) => (
      <span title={original.ruleId}>
        <ThingName projectId={projectId} thing={{ type: "rule", id: original.ruleId, name: null }} />{" "}
        <span style={{ color: "var(--mantine-color-dimmed)" }}>v{original.ruleVersion}</span>
      </span>
    ),
  },
  {
    id: "conversation",
    header: "Conversation",
    meta: {
      link: true,
      below: (run) => (
        <>
          {run.conversationPreview === null ? null : (
            <Box visibleFrom="sm">
              <ThingId id={run.conversationId} />
            </Box>
          )}
          <div className={classes.onPhone}>
            <Dot color={RUN_STATUS[run.status].color} hollow={RUN_STATUS[run.status].hollow ?? false}>
              <ThingName projectId={projectId} thing={{ type: "rule", id: run.ruleId, name: null }} />
            </Dot>
            <span className="clip" title={statedOutcomeOf(run)}>
              {statedOutcomeOf(run)}
            </span>
          </div>
        </>
      ),
    },
    cell: ({ row: { original } }) => (
      <span className={original.conversationPreview === null ? "mono" : undefined} title={conversationOf(original)}>
        {conversationOf(original)}
      </span>
    ),
  },
  {
    id: "outcome",
    header: "Outcome",
    meta: { aside: true, roomy: true },
    cell: ({ row }) => <span title={outcomeOf(row.original)}>{outcomeOf(row.original)}</span>,
  },
  {
    id: "origin",
    header: "Origin",
    meta: { aside: true, roomy: true, width: "6.5rem" },
    cell: ({ row }) => ORIGIN_WORD[row.original.origin],
  },
  {
    id: "attempts",
    header: "Attempts",
    meta: { aside: true, roomy: true, width: "5.75rem", align: "end", sort: "server" },
    cell: ({ row }) => <span className="tabular">{formatCount(row.original.attempts)}</span>,
  },
  {
    id: "took",
    header: "Duration",
    meta: { aside: true, roomy: true, width: "5.5rem", align: "end", sort: "server" },
    cell: ({ row: { original } }) => (
      <span className="tabular">
        {original.startedAt === null || original.finishedAt === null
          ? UNKNOWN
          : formatDuration(original.finishedAt - original.startedAt)}
      </span>
    ),
  },
  {
    id: "created",
    header: "Requested",
    meta: { roomy: true, width: "6.5rem", align: "end", sort: "server" },
    cell: ({ row }) => <Ago at={row.original.createdAt} />,
  },
];
