import { DataList, Stack } from "@mantine/core";
import Link from "next/link";
import { ExactTime } from "@/app/_components/values/exact-time";
import { Fact } from "@/app/_components/values/fact";
import { IdText } from "@/app/_components/values/id-text";
import { Unknown } from "@/app/_components/values/unknown";
import { formatDuration } from "@/app/_lib/format";
import { bucketName } from "@/app/p/[projectId]/_components/costs/price-words";
import { formatUnits, usageNames } from "@/app/p/[projectId]/_components/costs/usage-words";
import type { ConversationSummary } from "@/server/services/telemetry/schemas";
import { ConversationCost } from "../../../_components/conversation-cost";
import { Labels } from "../../../_components/labels";
import { feedbackSummary } from "../feedback/feedback-words";
import type { useFeedback } from "../feedback/use-feedback";
import classes from "./rail.module.css";

type Props = {
  projectId: string;
  conversation: ConversationSummary;
  feedback: Pick<ReturnType<typeof useFeedback>, "all" | "error">;
};

export function Facts({ projectId, conversation, feedback }: Props) {
  const { externalId, userId, models, labels, usage } = conversation;
  const list = `/p/${projectId}/conversations`;
  return (
    <DataList size="xs" gap={6} labelWidth={128}>
      <Fact label="Started">
        <ExactTime at={conversation.startedAt} />
      </Fact>
      <Fact label="Last activity">
        <ExactTime at={conversation.lastActivityAt} />
      </Fact>
      <Fact label="Duration">{formatDuration(conversation.lastActivityAt - conversation.startedAt)}</Fact>
      <Fact label="User">
        {userId === null ? (
          <Unknown why="the client sent none" />
        ) : (
          <Link className="mono" href={`${list}?user=${encodeURIComponent(userId)}`}>
            {userId}
          </Link>
        )}
      </Fact>
      <Fact label="Models">
        {models.length === 0 ? <Unknown /> : null}
        <Stack gap={2}>
          {models.map((model) => (
            <Link key={model} className={`mono ${classes.model}`} href={`${list}?model=${encodeURIComponent(model)}`}>
              {model}
            </Link>
          ))}
        </Stack>
      </Fact>
      <Fact label="Labels">
        {labels.length === 0 ? (
          <Unknown why="none sent by the client or added here" />
        ) : (
          <Labels projectId={projectId} labels={labels} />
        )}
      </Fact>
      <Fact label="Feedback">
        {feedback.all.length > 0 ? (
          feedbackSummary(feedback.all)
        ) : (
          <Unknown why={feedback.error ? "it could not be loaded" : "none given"} />
        )}
      </Fact>
      <Fact label="Cost">
        <ConversationCost conversation={conversation} />
      </Fact>
      {usageNames(usage).map((name) => (
        <Fact key={name} label={bucketName(name)}>
          {formatUnits(usage[name]!)}
        </Fact>
      ))}
      <Fact label="ID">
        <IdText id={conversation.id} />
      </Fact>
      <Fact label="External ID">
        {externalId === null ? <Unknown why="the client sent none" /> : <IdText id={externalId} />}
      </Fact>
      <Fact label="Rule Runs">
        <Link href={`/p/${projectId}/rule-runs?conversation=${encodeURIComponent(conversation.id)}`}>
          For this conversation
        </Link>
      </Fact>
    </DataList>
  );
}
