"use client";
import { Button, Group, SegmentedControl, Text } from "@mantine/core";
import Link from "next/link";
import { useRef, useState } from "react";
import { ScrollPre } from "@/app/_components/layout/scroll-pre";
import { capitalized, formatCount } from "@/app/_lib/format";
import type { TrainingValidation } from "@/server/services/training/jobs/schemas";
import { exampleHref } from "../../../datasets/_components/view";
import classes from "./new-training.module.css";

type Props = { projectId: string; datasetId: string; samples: TrainingValidation["renderedExamples"] };

/** `worst, messages` → `Worst`; keeps which answer of a pair it is. */
const titleOf = (why: string) => capitalized(why.replace(/, (messages|whole)$/, ""));

/** `user`, `assistant 0.5`: only an answer has a weight. */
const turnWords = ({ role, weight }: Props["samples"][number]["turns"][number]) =>
  weight === null ? role : `${role} ${weight}`;

/** Examples as the model gets them, with the learned parts highlighted. The first is the worst. */
export function Rendered({ projectId, datasetId, samples }: Props) {
  const [chosen, setChosen] = useState(0);
  const box = useRef<HTMLDivElement>(null);
  const sample = samples[chosen] ?? samples[0];
  if (!sample) {
    return (
      <Text size="sm" c="dimmed">
        No Example can be shown.
      </Text>
    );
  }
  return (
    <>
      <Group mb="xs" gap="xs">
        {samples.length > 1 ? (
          <SegmentedControl
            aria-label="Example"
            value={String(samples.indexOf(sample))}
            onChange={(value) => setChosen(Number(value))}
            data={samples.map(({ why }, index) => ({ value: String(index), label: titleOf(why) }))}
          />
        ) : null}
        <Button
          variant="default"
          disabled={!sample.segments.some(({ trained }) => trained)}
          onClick={() => box.current?.querySelector("mark")?.scrollIntoView({ block: "nearest" })}
        >
          Scroll to trained text
        </Button>
      </Group>
      <div ref={box}>
        <ScrollPre label="The exact text, scrollable" className={classes.rendered}>
          {sample.segments.map(({ text, trained, weight }, index) =>
            trained ? (
              // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of one text keep their order
              <mark key={index} title={weight === 1 ? undefined : `Weight ${weight}`}>
                {text}
              </mark>
            ) : (
              // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of one text keep their order
              <span key={index}>{text}</span>
            ),
          )}
        </ScrollPre>
      </div>
      {sample.turns.length > 0 ? (
        <Text size="xs" mt={4}>
          Weight of each turn: {sample.turns.map(turnWords).join(", ")}
        </Text>
      ) : null}
      <Text size="xs" c="dimmed" mt={4}>
        {formatCount(sample.tokens)} tokens ·{" "}
        <Link href={exampleHref(projectId, datasetId, sample.exampleId)}>Open the Example</Link>
      </Text>
    </>
  );
}
