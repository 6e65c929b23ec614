import { Alert, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { ScrollPre } from "@/app/_components/layout/scroll-pre";
import type { TrainingJob } from "@/server/services/fine-tuning/jobs/schemas";
import { BLAME, phaseWords } from "../../../_components/training/words";
import classes from "./run-page.module.css";

/** Why a run failed: what happened, whose turn it is, what to do, and the last lines of its log. */
export const RunError = ({ error }: { error: NonNullable<TrainingJob["error"]> }) => (
  <Alert
    color="red"
    m="md"
    title={error.message.charAt(0).toUpperCase() + error.message.slice(1)}
    icon={<IconAlertTriangle size={18} aria-hidden />}
    styles={{ title: { color: "var(--mantine-color-error)", overflowWrap: "anywhere" }, body: { minWidth: 0 } }}
  >
    {error.hint === null ? null : <Text size="sm">{error.hint}</Text>}
    <Text size="xs" c="dimmed" mt={4}>
      {error.blame === null ? null : <>Cause: {(BLAME[error.blame] ?? error.blame).toLowerCase()} · </>}
      {error.phase === null ? null : <>While: {phaseWords(error.phase).toLowerCase()} · </>}
      <span className="mono">{error.code}</span>
      {error.param === null ? null : (
        <>
          {" "}
          · <span className="mono">{error.param}</span>
        </>
      )}
    </Text>
    {error.logTail.length === 0 ? null : (
      <details>
        <summary style={{ cursor: "pointer", fontSize: "var(--mantine-font-size-xs)" }}>
          The last lines of its log
        </summary>
        <ScrollPre label="The last lines of the log" className={classes.tail}>
          {error.logTail.join("\n")}
        </ScrollPre>
      </details>
    )}
  </Alert>
);
