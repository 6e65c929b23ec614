import { Group } from "@mantine/core";
import { Dot } from "@/app/_components/values/dot";
import type { Checkpoint } from "@/server/services/models/checkpoints/schemas";

/** Marks a checkpoint as the best, the last, the sample’s, deleted, or trained on data that has since been deleted. */
export function CheckpointMarks({ checkpoint }: { checkpoint: Checkpoint }) {
  const { state, isBest, isFinal, resumable, recorded, taintedAt } = checkpoint;
  if (state === "pruned") {
    return (
      <Dot color="var(--severity-info)" hollow title="The trainer deleted its files, per the run’s settings">
        Files deleted
      </Dot>
    );
  }
  return (
    <Group gap="xs">
      {isBest ? <Dot color="var(--state-ok)">Best</Dot> : null}
      {isFinal ? <Dot color="var(--severity-low)">Final</Dot> : null}
      {!isBest && !isFinal ? (
        <Dot color="var(--severity-info)">{resumable && !recorded ? "Resumable" : "Stored"}</Dot>
      ) : null}
      {recorded ? (
        <Dot
          color="var(--severity-info)"
          hollow
          title="The sample’s training was recorded. No trainer has its model, so it can be downloaded but not deployed."
        >
          Recorded
        </Dot>
      ) : null}
      {taintedAt === null ? null : (
        <Dot color="var(--severity-high)" title="Some of its training data was deleted with a user or conversation">
          Trained on deleted data
        </Dot>
      )}
    </Group>
  );
}
