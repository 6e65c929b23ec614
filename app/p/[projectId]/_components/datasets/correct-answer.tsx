"use client";
import { Button, Group, Modal, NativeSelect, Stack, Textarea } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import Link from "next/link";
import { useState } from "react";
import { Refused } from "@/app/_components/feedback/refused";
import { fieldProblem } from "@/app/_lib/problem";
import { useTRPC } from "@/app/_lib/trpc/client";
import { NoDataset } from "./no-dataset";
import { useDatasets } from "./use-datasets";

/** An assistant's message, and its text. */
export type AnswerToCorrect = { turn: number; text: string };

type Props = { projectId: string; conversationId: string; answer: AnswerToCorrect | null; onClose: () => void };

/** Takes the better answer and saves it as an Example, with the old answer as the rejected one. */
export const CorrectAnswer = ({ answer, ...rest }: Props) => (
  <Modal opened={answer !== null} onClose={rest.onClose} title="Correct this answer" size="lg">
    {answer === null ? null : <Fields answer={answer} {...rest} />}
  </Modal>
);

function Fields({ projectId, conversationId, answer, onClose }: Props & { answer: AnswerToCorrect }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const query = useDatasets(projectId);
  const datasets = query.data ?? [];
  const [datasetId, setDatasetId] = useState<string | null>(null);
  const [text, setText] = useState(answer.text);
  const into = datasetId ?? datasets[0]?.id;
  const correct = useMutation(
    trpc.examples.correctAnswer.mutationOptions({
      onSuccess: ({ result }) => {
        if (result.status === "skipped") return;
        void queries.invalidateQueries({ queryKey: trpc.datasets.pathKey() });
        const { id, name } = datasets.find((one) => one.id === result.datasetId) ?? { id: result.datasetId, name: "" };
        notifications.show({
          message: (
            <>
              {result.status === "duplicate" ? "This correction is already in" : "Saved the correction in"}{" "}
              <Link href={`/p/${projectId}/datasets/${id}`}>{name || "the Dataset"}</Link>
            </>
          ),
        });
        onClose();
      },
    }),
  );
  const problem = correct.data?.result.status === "skipped" ? correct.data.result.problem : null;
  const isReady = into !== undefined && text.trim() !== "" && text !== answer.text;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady) correct.mutate({ projectId, conversationId, turn: answer.turn, answer: text, datasetId: into });
      }}
    >
      <Stack gap="md">
        <Textarea
          label="Better answer"
          description="What it should have said. The original answer becomes the rejected one."
          autosize
          minRows={5}
          maxRows={18}
          dir="auto"
          data-autofocus
          value={text}
          error={fieldProblem(correct.error, "/answer") ?? problem}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        {datasets.length === 0 ? (
          <NoDataset projectId={projectId} datasets={query} />
        ) : (
          <NativeSelect
            size="sm"
            label="Dataset"
            value={into}
            onChange={(event) => setDatasetId(event.currentTarget.value)}
            data={datasets.map(({ id, name }) => ({ value: id, label: name }))}
          />
        )}
        <Refused error={correct.error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={correct.isPending} disabled={!isReady}>
            Save correction
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
