"use client";
import { Button, Group } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { problemOf } from "@/app/_lib/problem";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { EvaluationRow } from "@/server/services/proof/evaluations/schemas";
import { useMay } from "../../../_components/access/membership";
import classes from "./evaluation-page.module.css";

const CHOICES = [
  { label: "Only “Before” is right", isRight: { before: true, after: false } },
  { label: "Only “After” is right", isRight: { before: false, after: true } },
  { label: "Both are right", isRight: { before: true, after: true } },
  { label: "Neither is right", isRight: { before: false, after: false } },
] as const;

type Props = { projectId: string; evaluationId: string; row: EvaluationRow };

/** Lets a person overrule which answers are right; the counts and the interval follow. */
export function Overrule({ projectId, evaluationId, row }: Props) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const may = useMay("models:manage");
  const review = useMutation(
    trpc.evaluations.review.mutationOptions({
      onSettled: () => queries.invalidateQueries({ queryKey: trpc.evaluations.pathKey() }),
    }),
  );
  if (!may) return null;
  const [before, after] = [row.rightness?.before?.right ?? null, row.rightness?.after?.right ?? null];
  return (
    <details className={classes.earlier}>
      <summary>Overrule</summary>
      <Group gap="xs" mt={4} role="group" aria-label={`Which answer of row ${row.n + 1} is right`}>
        {CHOICES.map(({ label, isRight }) => (
          <Button
            key={label}
            size="compact-xs"
            variant={isRight.before === before && isRight.after === after ? "light" : "default"}
            loading={review.isPending && review.variables.isRight === isRight}
            onClick={() => review.mutate({ projectId, evaluationId, n: String(row.n), isRight })}
          >
            {label}
          </Button>
        ))}
      </Group>
      {review.error ? <p role="alert">{problemOf(review.error).detail}</p> : null}
    </details>
  );
}
