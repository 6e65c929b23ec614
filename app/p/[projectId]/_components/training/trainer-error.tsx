import { Alert, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { ScrollPre } from "@/app/_components/layout/scroll-pre";
import { capitalized } from "@/app/_lib/format";
import type { TrainingJob } from "@/server/services/training/jobs/schemas";
import classes from "./trainer-error.module.css";
import { BLAME, phaseWords } from "./words";

type Props = {
  error: NonNullable<TrainingJob["error"]>;
  /** Without a margin, for a container that has its own. */
  flush?: boolean;
};

/** Why something failed on a trainer: what happened, what to do, who or what caused it, and the last lines of its log. */
export const TrainerError = ({ error, flush = false }: Props) => (
  <Alert
    color="red"
    m={flush ? 0 : "md"}
    title={capitalized(error.message)}
    icon={<IconAlertTriangle size={18} aria-hidden />}
    styles={{ title: { color: "var(--mantine-color-error)", overflowWrap: "anywhere" }, body: { minWidth: 0 } }}
  >
    {error.hint === null ? null : <Text size="sm">{error.hint}</Text>}
    <Text size="xs" c="dimmed" mt={4}>
      {error.blame === null ? null : <>Cause: {(BLAME[error.blame] ?? error.blame).toLowerCase()} · </>}
      {error.phase === null ? null : <>Stage: {phaseWords(error.phase).toLowerCase()} · </>}
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
