"use client";
import { Skeleton } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { InlineCode } from "@/app/_components/values/inline-code";
import { formatCount, plural } from "@/app/_lib/format";
import { type RouterOutputs, useTRPC } from "@/app/_lib/trpc/client";
import type { Dataset } from "@/server/services/datasets/datasets/schemas";
import { textOfAnswer } from "../../../review/_components/answer-of";
import classes from "./collection.module.css";
import { CountsByReason } from "./counts-by-reason";
import { leftWords, reasonWords } from "./reason-words";

type Props = {
  projectId: string;
  objective: NonNullable<Dataset["collectionObjective"]>;
  collectionFilters: Dataset["collectionFilters"];
  /** Whether the connected model is asked for better answers. */
  asksModel: boolean;
};
type Sample = RouterOutputs["collectionPasses"]["previewObjective"]["preview"]["samples"][number];

const STALE_MS = 5 * 60_000;

/** What an objective would have collected from the last 30 days, and what it leaves out and why. */
export function CollectionPreview({ projectId, objective, collectionFilters, asksModel }: Props) {
  const trpc = useTRPC();
  const { data, error, refetch, isFetching, isPlaceholderData } = useQuery(
    trpc.collectionPasses.previewObjective.queryOptions(
      { projectId, objective, collectionFilters },
      { staleTime: STALE_MS, placeholderData: keepPreviousData },
    ),
  );
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} retrying={isFetching} />;
  if (!data || isPlaceholderData)
    return (
      <Skeleton className={classes.loading} role="status" aria-label="Checking the conversations of the last 30 days" />
    );
  const { conversations, complete, proposed, reasons, left, samples } = data.preview;
  return (
    <section
      className={classes.root}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard
      tabIndex={0}
      aria-label="Preview of the last 30 days, scrollable"
    >
      <p className={classes.lead} role="status">
        {conversations === 0
          ? "No conversation was active in the last 30 days."
          : `From ${complete ? "" : "the newest "}${plural(conversations, "conversation")} of the last 30 days it would have collected ${plural(proposed, "Example")}.`}
      </p>
      {conversations === 0 ? null : (
        <div className={classes.columns}>
          <CountsByReason title="Collected" counts={reasons} wordsOf={reasonWords} />
          <CountsByReason title="Left out" counts={left} wordsOf={leftWords} />
        </div>
      )}
      {asksModel && left.no_better_answer !== undefined ? (
        <p className={classes.quiet}>
          A preview does not ask the model. Collection asks it when no better answer is known, within the daily limits.
        </p>
      ) : null}
      {samples.length === 0 ? null : (
        <section aria-label="Samples">
          <h3 className={classes.title}>
            {samples.length < proposed
              ? `${formatCount(samples.length)} of ${formatCount(proposed)} Examples`
              : plural(samples.length, "Example")}
          </h3>
          <ul className={classes.samples}>
            {samples.map((sample) => (
              <SampleItem key={`${sample.conversationId} ${sample.turn}`} projectId={projectId} sample={sample} />
            ))}
          </ul>
        </section>
      )}
    </section>
  );
}

function SampleItem({ projectId, sample }: { projectId: string; sample: Sample }) {
  const { conversationId, turn, reason, payload } = sample;
  const { input, expectedOutput, rejectedOutput } = payload;
  const question = input.messages.findLast(({ role }) => role === "user")?.content;
  const parts = [
    { label: "User", text: question ?? "" },
    ...(rejectedOutput ? [{ label: "Rejected output", text: textOfAnswer(rejectedOutput.message) }] : []),
    { label: "Expected output", text: textOfAnswer(expectedOutput.message) },
  ];
  return (
    <li className={classes.sample}>
      <details>
        <summary>
          <InlineCode text={reason} />
        </summary>
        {parts.map(({ label, text }) => (
          <section key={label} aria-label={label}>
            <h4 className={classes.title}>{label}</h4>
            <p className={classes.text} dir="auto">
              {text}
            </p>
          </section>
        ))}
        <Link href={`/p/${projectId}/conversations/${encodeURIComponent(conversationId)}#m-${turn}`}>
          Open the conversation
        </Link>
      </details>
    </li>
  );
}
