import { Button, Group, NumberInput, Stack, Text, Title } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import Link from "next/link";
import { useState } from "react";
import { Refused } from "@/app/_components/feedback/refused";
import { Money } from "@/app/_components/values/money";
import { formatCount, formatPercent, plural } from "@/app/_lib/format";
import { type RouterOutputs, useTRPC } from "@/app/_lib/trpc/client";
import { JUDGED_MAX, type OwnDefinition, TRIED_MAX } from "@/server/services/diagnostics/own-rules/schemas";
import { pageHref } from "../../../_components/shell/pages";
import { isTryable, triedOf } from "./draft";

type Trial = RouterOutputs["rules"]["tryDescription"]["trial"];
type Props = { projectId: string; draft: OwnDefinition };

/** Tries the description on past conversations: what it would have caught, near misses, and the cost. */
export function TryDescription({ projectId, draft }: Props) {
  const trpc = useTRPC();
  const [conversations, setConversations] = useState(200);
  const [judged, setJudged] = useState(20);
  const attempt = useMutation(trpc.rules.tryDescription.mutationOptions());
  const sent = { projectId, ...triedOf(draft), conversations, judged };
  const isCurrent = JSON.stringify(attempt.variables) === JSON.stringify(sent);
  const trial = attempt.data?.trial;
  const goesOn = isCurrent && trial?.complete === false && trial.problem === null;
  return (
    <Stack gap="md">
      <Group gap="md" align="flex-end">
        <NumberInput
          label="Newest conversations"
          w={170}
          min={1}
          max={TRIED_MAX}
          allowDecimal={false}
          clampBehavior="strict"
          value={conversations}
          onChange={(next) => typeof next === "number" && setConversations(next)}
        />
        <NumberInput
          label="Judged at most"
          w={170}
          min={1}
          max={JUDGED_MAX}
          allowDecimal={false}
          clampBehavior="strict"
          value={judged}
          onChange={(next) => typeof next === "number" && setJudged(next)}
        />
        <Button
          variant="default"
          loading={attempt.isPending}
          disabled={!isTryable(draft)}
          onClick={() => attempt.mutate(sent)}
        >
          {goesOn ? "Go on" : "Try on the past"}
        </Button>
      </Group>
      <Text size="xs" c="dimmed">
        {draft.asks === 0
          ? "Reads for about 5 seconds. No Run and no Finding is stored."
          : "Asks the connected model, within its daily limits, for about 25 seconds. No Run and no Finding is stored."}
      </Text>
      <Refused error={attempt.error} />
      {trial ? <Result projectId={projectId} trial={trial} isCurrent={isCurrent} /> : null}
    </Stack>
  );
}

function Result({ projectId, trial, isCurrent }: { projectId: string; trial: Trial; isCurrent: boolean }) {
  const { conversations, passed, judged, caught, leftOutJudged, leftOutCaught, problem } = trial;
  return (
    <Stack gap="sm" role="status" aria-label="Result of the trial">
      {isCurrent ? null : (
        <Text size="sm" c="dimmed">
          The description has changed since. This is what it found before.
        </Text>
      )}
      <Text size="sm">
        {formatCount(passed)} of {plural(conversations, "conversation")} passed the filter.{" "}
        {judged > 0 && trial.asksPerJudged !== 0
          ? `Of ${formatCount(judged)} that were judged, it caught ${formatCount(caught)}.`
          : null}{" "}
        {leftOutJudged > 0
          ? `Of ${formatCount(leftOutJudged)} that the filter leaves out, the model would have caught ${formatCount(leftOutCaught)}.`
          : null}
      </Text>
      {problem === null ? (
        trial.complete ? null : (
          <Text size="sm">Time ran out before all were judged. Go on to judge the rest; no answer is asked twice.</Text>
        )
      ) : (
        <Text size="sm" c="var(--mantine-color-error)">
          {problem.endsWith(".") ? problem : `The model gave no answer: ${problem}.`}{" "}
          <Link href={pageHref(projectId, "integrations")}>Integrations</Link>
        </Text>
      )}
      {trial.questionsPer1000 === null || trial.model === null ? null : (
        <Text size="sm">
          For 1,000 conversations: about {formatCount(Math.round(trial.questionsPer1000))} questions to {trial.model}
          {trial.usdPer1000 === null ? (
            ", at an unknown price"
          ) : (
            <>
              {" "}
              for <Money usd={trial.usdPer1000} />
            </>
          )}
          . {formatPercent(conversations === 0 ? null : passed / conversations)} of them pass the filter.
        </Text>
      )}
      <Conversations projectId={projectId} title="Would have been caught" of={trial.examples} none="Nothing." />
      <Conversations projectId={projectId} title="Near misses" of={trial.nearMisses} none="None." />
    </Stack>
  );
}

type ListProps = { projectId: string; title: string; of: Trial["examples"]; none: string };

function Conversations({ projectId, title, of, none }: ListProps) {
  return (
    <div>
      <Title order={3} size="sm">
        {title}
      </Title>
      {of.length === 0 ? (
        <Text size="sm" c="dimmed">
          {none}
        </Text>
      ) : (
        <Stack gap="xs" component="ul" style={{ listStyle: "none", padding: 0, margin: 0 }} aria-label={title}>
          {of.map((one) => (
            <li key={one.conversationId} style={{ overflowWrap: "anywhere" }}>
              <Link href={`/p/${projectId}/conversations/${encodeURIComponent(one.conversationId)}`}>
                {one.preview ?? one.conversationId}
              </Link>
              {one.quotes[0] ? <Text size="sm">“{one.quotes[0]}”</Text> : null}
              <Text size="xs" c="dimmed">
                {one.passedFilter ? "" : "Left out by the filter. "}
                {one.asked === 0 ? null : `${plural(one.asked, "question")}. The model: ${one.reason}`}
              </Text>
            </li>
          ))}
        </Stack>
      )}
    </div>
  );
}
