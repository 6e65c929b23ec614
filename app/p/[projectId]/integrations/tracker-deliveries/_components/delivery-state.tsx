import { Text } from "@mantine/core";
import { Ago } from "@/app/_components/values/ago";
import { Dot } from "@/app/_components/values/dot";
import type { RouterOutputs } from "@/app/_lib/trpc/client";

export type TrackerDelivery = RouterOutputs["trackerDeliveries"]["list"]["trackerDeliveries"][number];

const STATES: Record<TrackerDelivery["state"], { word: string; color: string; hollow?: boolean; title?: string }> = {
  received: { word: "Received", color: "var(--mantine-color-dimmed)" },
  processed: { word: "Processed", color: "var(--state-ok)" },
  ignored: {
    word: "Ignored",
    color: "var(--mantine-color-dimmed)",
    hollow: true,
    title: "It doesn’t refer to a Finding’s ticket",
  },
  failed: { word: "Failed", color: "var(--severity-critical)" },
};

type Shown = Pick<TrackerDelivery, "state" | "error" | "nextAttemptAt">;

/** A delivery's outcome and, if it failed, why. */
export function DeliveryState({ delivery: { state, error, nextAttemptAt } }: { delivery: Shown }) {
  const { word, color, hollow, title } = STATES[state];
  return (
    <span>
      <Dot color={color} hollow={hollow ?? false} {...(title ? { title } : {})}>
        {word}
      </Dot>
      {error === null ? null : <Text size="xs">{error}</Text>}
      {nextAttemptAt === null ? null : (
        <Text size="xs" c="dimmed">
          Ticket not read; next attempt <Ago at={nextAttemptAt} />
        </Text>
      )}
    </span>
  );
}
