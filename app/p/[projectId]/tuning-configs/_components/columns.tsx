import { Text } from "@mantine/core";
import type { ListColumn } from "@/app/_components/data-table/types";
import { Ago } from "@/app/_components/values/ago";
import { Dot } from "@/app/_components/values/dot";
import { useNow } from "@/app/_components/values/now";
import { Unknown } from "@/app/_components/values/unknown";
import { formatCount, formatPercent } from "@/app/_lib/format";
import type { TuningConfig } from "@/server/services/training/tuning-configs/schemas";
import { howWords, shortModel } from "../../_components/training/words";
import { cronWords } from "./cron-words";

const OUTCOMES = {
  started: { word: "Started a run", color: "var(--state-ok)" },
  skipped: { word: "Skipped", color: "var(--severity-info)" },
  failed: { word: "Failed", color: "var(--severity-critical)" },
} as const;

type Decision = NonNullable<TuningConfig["lastDecision"]>;

export const Outcome = ({ outcome }: Pick<Decision, "outcome">) => (
  <Dot color={OUTCOMES[outcome].color}>{OUTCOMES[outcome].word}</Dot>
);

export const baseWords = ({ baseModel }: Pick<TuningConfig, "baseModel">) =>
  "checkpointId" in baseModel ? "From a checkpoint" : shortModel(baseModel.id);

/** Returns when it starts by itself, in words. */
export function triggerWords({ enabled, minNewExamples, cron }: TuningConfig["trigger"]): string {
  if (!enabled) return "Manual only";
  const enough = `${formatCount(minNewExamples)} new ${minNewExamples === 1 ? "Example" : "Examples"}`;
  return cron === null ? `At ${enough}` : `${cronWords(cron)}, at ${enough}`;
}

/** Returns which of its finished runs are deployed automatically, in words. */
export const deployWords = ({ enabled, name, maxLossIncrease, maxPreserveDrop }: TuningConfig["deployment"]): string =>
  enabled
    ? `${name === null ? "If" : `As “${name}”, if`} the loss is at most ${formatPercent(maxLossIncrease)} higher and right answers drop by at most ${formatPercent(maxPreserveDrop)}`
    : "Manual only";

function NextCheck({ at }: { at: number }) {
  const isDue = at <= useNow();
  return <>, next check {isDue ? "due" : <Ago at={at} />}</>;
}

export const COLUMNS: ListColumn<TuningConfig>[] = [
  {
    id: "name",
    header: "Configuration",
    meta: { link: true },
    cell: ({ row: { original } }) => (
      <>
        <Text size="sm" fw={500} component="div" className="clip" dir="auto">
          {original.name}
        </Text>
        <Text size="xs" c="dimmed" component="div" className="clip">
          {baseWords(original)} · {howWords(original)}
        </Text>
      </>
    ),
  },
  {
    id: "trigger",
    header: "Trigger",
    meta: { width: "19rem", roomy: true },
    cell: ({ row: { original } }) => (
      <>
        <div className="clip" title={triggerWords(original.trigger)}>
          {triggerWords(original.trigger)}
        </div>
        {original.trigger.enabled ? (
          <Text size="xs" c="dimmed" component="div">
            {formatCount(original.newExamples)} new so far
            {original.nextCheckAt === null ? null : <NextCheck at={original.nextCheckAt} />}
          </Text>
        ) : null}
      </>
    ),
  },
  {
    id: "decision",
    header: "Last decision",
    meta: { width: "17rem", roomy: true, aside: true },
    cell: ({ row: { original } }) =>
      original.lastDecision === null ? (
        <Unknown why="Not evaluated yet" />
      ) : (
        <>
          <Outcome outcome={original.lastDecision.outcome} />
          <Text size="xs" c="dimmed" component="div" className="clip" title={original.lastDecision.message}>
            {original.lastDecision.message}
          </Text>
        </>
      ),
  },
  {
    id: "updated",
    header: "Updated",
    meta: { width: "6.5rem", align: "end", roomy: true },
    cell: ({ row }) => <Ago at={row.original.updatedAt} />,
  },
];
