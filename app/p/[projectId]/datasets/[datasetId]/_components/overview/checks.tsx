"use client";
import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { Dot } from "@/app/_components/values/dot";
import { formatCount, plural } from "@/app/_lib/format";
import { type RouterOutputs, useTRPC } from "@/app/_lib/trpc/client";
import { HeldOut } from "../../../../_components/datasets/held-out";
import { exampleHref } from "../../../_components/view";
import { SPLITS } from "../../../_components/words";
import classes from "./overview.module.css";

type Check = RouterOutputs["datasets"]["check"]["check"];
type Kind = Exclude<keyof Check, "examplesRead" | "complete" | "heldOut">;
type Group = Check[Kind]["largest"][number];

const KINDS: Record<Kind, { title: string; clean: string; description: string; leak: boolean }> = {
  conversationsInSeveralSplits: {
    title: "Conversations in several splits",
    clean: "No conversation is in several splits",
    description: "Test data was trained on. Move all Examples of a conversation to one split.",
    leak: true,
  },
  inputsInSeveralSplits: {
    title: "Inputs in several splits",
    clean: "No input is in several splits",
    description: "Test data was trained on. Move the same inputs to one split, or delete all but one.",
    leak: true,
  },
  inputsWithSeveralAnswers: {
    title: "Inputs with several answers",
    clean: "No input has several answers",
    description: "A model cannot learn both. Keep the better answer, or make the other its rejected output.",
    leak: false,
  },
  answersOfSeveralInputs: {
    title: "Answers used for several inputs",
    clean: "No answer is used for several inputs",
    description: "Fine for a fixed phrase; otherwise a model learns to answer everything the same way.",
    leak: false,
  },
};
const KIND_VALUES = Object.keys(KINDS) as Kind[];

type Props = { projectId: string; datasetId: string };

/** Leakage between splits, and duplicates, each with the Examples that show it. */
export function Checks({ projectId, datasetId }: Props) {
  const trpc = useTRPC();
  const { data, error, refetch, isFetching } = useQuery(
    trpc.datasets.check.queryOptions({ projectId, datasetId }, { staleTime: 60_000 }),
  );
  if (!data) {
    return error ? (
      <ErrorState error={error} onRetry={() => void refetch()} retrying={isFetching} />
    ) : (
      <Text size="sm" c="dimmed" role="status">
        Comparing Examples…
      </Text>
    );
  }
  const { check } = data;
  return (
    <>
      <Text size="xs" c="dimmed" mb="sm">
        {check.complete ? "All" : `The newest ${formatCount(check.examplesRead)}`} Examples, compared ignoring case and
        spacing.
      </Text>
      <ul className={classes.checks}>
        <li>
          <HeldOut found={check.heldOut} projectId={projectId} datasetId={datasetId} />
          {check.heldOut.seen === 0 ? null : (
            <ul className={classes.found}>
              {check.heldOut.largest.map((group) => (
                <li key={group.exampleIds.join()}>
                  <GroupLine group={group} projectId={projectId} datasetId={datasetId} />
                </li>
              ))}
            </ul>
          )}
        </li>
        {KIND_VALUES.map((kind) => (
          <li key={kind}>
            <Found kind={kind} found={check[kind]} projectId={projectId} datasetId={datasetId} />
          </li>
        ))}
      </ul>
    </>
  );
}

function Found({ kind, found: { count, largest }, ...at }: Props & { kind: Kind; found: Check[Kind] }) {
  const { title, clean, description, leak } = KINDS[kind];
  if (count === 0) return <Dot color="var(--state-ok)">{clean}</Dot>;
  return (
    <>
      <Dot color={leak ? "var(--severity-critical)" : "var(--severity-medium)"}>
        {title}: {formatCount(count)}
      </Dot>
      <Text size="xs" c="dimmed">
        {description}
      </Text>
      <ul className={classes.found}>
        {largest.map((group) => (
          <li key={group.exampleIds.join()}>
            <GroupLine group={group} {...at} />
          </li>
        ))}
        {count > largest.length ? <li>and {formatCount(count - largest.length)} more</li> : null}
      </ul>
    </>
  );
}

const GroupLine = ({ group, projectId, datasetId }: Props & { group: Group }) => (
  <>
    <span>
      {plural(group.exampleCount, "Example")} in {group.splits.map((split) => SPLITS[split].toLowerCase()).join(", ")}:
    </span>
    {group.exampleIds.map((id, index) => (
      <Link key={id} href={exampleHref(projectId, datasetId, id)}>
        Example {index + 1}
      </Link>
    ))}
    {group.conversationId === null ? null : (
      <Link href={`/p/${projectId}/conversations/${encodeURIComponent(group.conversationId)}`}>conversation</Link>
    )}
  </>
);
