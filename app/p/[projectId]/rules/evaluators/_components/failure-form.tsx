import { Button, Group, MultiSelect, NumberInput, SegmentedControl, Stack } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Refused } from "@/app/_components/feedback/refused";
import { useTRPC } from "@/app/_lib/trpc/client";
import { type Evaluator, type FailsWhen, LABELS_MAX } from "@/server/services/diagnostics/evaluators/schemas";
import { failsWhenWords } from "./words";

type Way = "below" | "above" | "labels";
const WAYS = [
  { value: "below", label: "Low scores" },
  { value: "above", label: "High scores" },
  { value: "labels", label: "Labels" },
] satisfies { value: Way; label: string }[];

/** Where an evaluator's scores are in the middle, in two digits: a place to begin. */
const middleOf = ({ lowest, highest }: Evaluator) =>
  lowest === null || highest === null ? "" : Number(((lowest + highest) / 2).toPrecision(2));

/** Says which results of an evaluator are bad: it does not say itself which end of its scale is. */
export function FailureForm({ projectId, evaluator }: { projectId: string; evaluator: Evaluator }) {
  const { name, failsWhen, labels, lowest } = evaluator;
  const [way, setWay] = useState<Way>(wayOf(failsWhen) ?? (lowest === null && labels.length > 0 ? "labels" : "below"));
  const [limit, setLimit] = useState<number | string>(limitOf(failsWhen) ?? middleOf(evaluator));
  const [chosen, setChosen] = useState<string[]>(failsWhen && "labels" in failsWhen ? failsWhen.labels : []);
  const given = givenOf(way, limit, chosen);
  const { save, error, isPending } = useSave(projectId);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (given) save({ projectId, name, failsWhen: given });
      }}
    >
      <Stack gap="sm" align="flex-start">
        <SegmentedControl<Way> aria-label="What is bad" data={WAYS} value={way} onChange={setWay} />
        {way === "labels" ? (
          <MultiSelect
            label="Labels that are bad"
            data={[...new Set([...labels, ...chosen])]}
            value={chosen}
            onChange={setChosen}
            maxValues={LABELS_MAX}
            miw={280}
          />
        ) : (
          <NumberInput
            label={way === "below" ? "Bad below" : "Bad above"}
            hideControls
            maw={160}
            value={limit}
            onChange={setLimit}
          />
        )}
        <Refused error={error} />
        <Group gap="xs">
          <Button
            type="submit"
            disabled={!given || JSON.stringify(given) === JSON.stringify(failsWhen)}
            loading={isPending}
          >
            Save
          </Button>
          {failsWhen ? (
            <Button variant="default" disabled={isPending} onClick={() => save({ projectId, name, failsWhen: null })}>
              Forget
            </Button>
          ) : null}
        </Group>
      </Stack>
    </form>
  );
}

function wayOf(failsWhen: FailsWhen | null): Way | null {
  if (failsWhen === null) return null;
  return "below" in failsWhen ? "below" : "above" in failsWhen ? "above" : "labels";
}

function limitOf(failsWhen: FailsWhen | null): number | null {
  if (failsWhen === null || "labels" in failsWhen) return null;
  return "below" in failsWhen ? failsWhen.below : failsWhen.above;
}

function givenOf(way: Way, limit: number | string, labels: string[]): FailsWhen | null {
  if (way === "labels") return labels.length > 0 ? { labels } : null;
  if (typeof limit !== "number") return null;
  return way === "below" ? { below: limit } : { above: limit };
}

function useSave(projectId: string) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const change = useMutation(
    trpc.evaluators.update.mutationOptions({
      onSuccess: ({ evaluator: { failsWhen } }) =>
        notifications.show({ message: failsWhen ? failsWhenWords(failsWhen) : "Forgotten which results are bad." }),
      onSettled: () =>
        Promise.all([
          queries.invalidateQueries({ queryKey: trpc.evaluators.list.queryKey({ projectId }) }),
          queries.invalidateQueries({ queryKey: trpc.evaluators.compare.pathKey() }),
        ]),
    }),
  );
  return { save: change.mutate, error: change.error, isPending: change.isPending };
}
