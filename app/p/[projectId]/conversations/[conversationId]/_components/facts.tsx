import { DataList, Stack } from "@mantine/core";
import Link from "next/link";
import { ExactTime } from "@/app/_components/exact-time";
import { IdText } from "@/app/_components/id-text";
import { formatCount, formatDuration, UNKNOWN } from "@/app/_lib/format";
import type { ConversationSummary } from "@/server/services/telemetry/schemas";
import { ConversationCost } from "../../_components/conversation-cost";

/** A usage bucket's name as people say it: `cache_read_input_tokens` → `cache read input tokens`. */
export const bucketName = (bucket: string) => bucket.replaceAll("_", " ");

export function Facts({ projectId, conversation }: { projectId: string; conversation: ConversationSummary }) {
  const { externalId, userId, models, usage } = conversation;
  const here = `/p/${projectId}/conversations`;
  const facts: [string, React.ReactNode][] = [
    ["Started", <ExactTime key="at" at={conversation.startedAt} />],
    ["Last activity", <ExactTime key="last" at={conversation.lastActivityAt} />],
    ["Lasted", formatDuration(conversation.lastActivityAt - conversation.startedAt)],
    [
      "User",
      userId === null ? (
        <span title="unknown">{UNKNOWN}</span>
      ) : (
        <Link className="mono" href={`${here}?user=${encodeURIComponent(userId)}`}>
          {userId}
        </Link>
      ),
    ],
    [
      "Models",
      models.length === 0 ? (
        <span title="unknown">{UNKNOWN}</span>
      ) : (
        <Stack gap={2}>
          {models.map((model) => (
            <Link key={model} className="mono" href={`${here}?model=${encodeURIComponent(model)}`}>
              {model}
            </Link>
          ))}
        </Stack>
      ),
    ],
    ["Cost", <ConversationCost key="cost" conversation={conversation} />],
    ...Object.entries(usage).map(([bucket, count]): [string, React.ReactNode] => [bucketName(bucket), formatCount(count)]),
    ["Id", <IdText key="id" id={conversation.id} />],
    ["Client's id", externalId === null ? <span title="the client sent none">{UNKNOWN}</span> : <IdText id={externalId} />],
    ["Rule Runs", <Link key="runs" href={`/p/${projectId}/rule-runs?conversation=${encodeURIComponent(conversation.id)}`}>Of this conversation</Link>],
  ];
  return (
    <DataList size="xs" gap={6} labelWidth={104}>
      {facts.map(([label, value]) => (
        <DataList.Item key={label} style={{ overflowWrap: "anywhere" }}>
          <DataList.ItemLabel tt={label.includes("tokens") ? "capitalize" : undefined}>{label}</DataList.ItemLabel>
          <DataList.ItemValue className="tabular" miw={0}>
            {value}
          </DataList.ItemValue>
        </DataList.Item>
      ))}
    </DataList>
  );
}
