"use client";
import { Button, Checkbox, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Refused } from "@/app/_components/feedback/refused";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { Evaluation } from "@/server/services/proof/evaluations/schemas";
import { ConfirmDialog } from "../../../_components/confirm/confirm-dialog";
import { isJudged, previewWords } from "../../../_components/evaluations/judge-words";
import { isUnfinished } from "../../../_components/evaluations/words";

type Props = { projectId: string; evaluation: Evaluation };

/** Asks a connected model to judge the answers, after saying what that takes, and can stop it. */
export function Judge({ projectId, evaluation }: Props) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const [asking, setAsking] = useState(false);
  const [preference, setPreference] = useState(true);
  const input = { projectId, evaluationId: evaluation.id };
  const preview = useQuery(trpc.evaluations.judgePreview.queryOptions({ ...input, preference }, { enabled: asking }));
  const onSettled = () => queries.invalidateQueries({ queryKey: trpc.evaluations.pathKey() });
  const start = useMutation(
    trpc.evaluations.judge.mutationOptions({
      onSuccess: () => {
        notifications.show({ message: "Asked the model to judge the answers" });
        setAsking(false);
      },
      onSettled,
    }),
  );
  const stop = useMutation(trpc.evaluations.cancelJudging.mutationOptions({ onSettled }));
  if (isUnfinished(evaluation) || evaluation.done === 0) return null;
  if (isJudged(evaluation.judging)) {
    return (
      <Button size="compact-xs" variant="default" loading={stop.isPending} onClick={() => stop.mutate(input)}>
        Stop judging
      </Button>
    );
  }
  const found = preview.data?.preview;
  return (
    <>
      <Button size="compact-xs" variant="default" onClick={() => setAsking(true)}>
        Ask a model to judge…
      </Button>
      <ConfirmDialog
        subject={asking ? evaluation : null}
        onClose={() => setAsking(false)}
        title={() => "Ask a model to judge"}
        says={() =>
          "The project’s connected model reads each answer and says whether it is right, by the right answer of its row. The words of these rows are sent to it. It is a judge, not a proof: a verdict that rests on it counts once people have reviewed rows blind."
        }
        action="Ask the model"
        danger={false}
        ready={found !== undefined && (found.reason === null || found.reason === "no-price") && found.questions > 0}
        running={start}
        onConfirm={() => start.mutate({ ...input, preference })}
      >
        <Checkbox
          label="Also ask which answer is better"
          description="In both orders, which is two more questions a row. A choice that turns with the order is a tie."
          checked={preference}
          onChange={(event) => setPreference(event.currentTarget.checked)}
        />
        <Refused error={preview.error} />
        <div role="status">
          {found === undefined
            ? null
            : previewWords(found).map((sentence) => (
                <Text key={sentence} size="sm">
                  {sentence}
                </Text>
              ))}
        </div>
      </ConfirmDialog>
    </>
  );
}
