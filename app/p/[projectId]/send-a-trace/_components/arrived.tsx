"use client";
import { Button, Loader, Text } from "@mantine/core";
import { IconArrowRight, IconCircleCheck } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { formatCount, plural } from "@/app/_lib/format";
import { type RouterOutputs, useTRPC } from "@/app/_lib/trpc/client";
import { tokensIn } from "@/app/p/[projectId]/_components/costs/usage-words";
import { ConversationCost } from "../../conversations/_components/conversation-cost";
import classes from "./send-a-trace.module.css";

type Receipt = NonNullable<RouterOutputs["telemetry"]["status"]["status"]["lastReceipt"]>;
type Props = { projectId: string; first: boolean; receipt: Receipt; conversationId: string | null };

const NAMES_SHOWN = 12;
const SPANS_LOOKED_AT = 200;

/** The first trace: how it was read, and its unrecognized attributes. */
export function Arrived({ projectId, first, receipt, conversationId }: Props) {
  const trpc = useTRPC();
  const traceId = receipt.traceIds[0];
  const conversation = useQuery(
    trpc.conversations.get.queryOptions(
      { projectId, conversationId: conversationId ?? "", parts: 0 },
      { enabled: conversationId !== null, refetchInterval: 3000 },
    ),
  ).data?.conversation;
  const trace = useQuery(
    trpc.traces.get.queryOptions(
      { projectId, traceId: traceId ?? "", parts: SPANS_LOOKED_AT },
      { enabled: traceId !== undefined && conversationId !== null },
    ),
  ).data?.trace;
  const spans = trace?.spans;
  const unmapped = [...new Set(spans?.flatMap((span) => span.unmapped) ?? [])];

  return (
    <div className={classes.arrived} role="status">
      <div className={classes.arrivedHead}>
        <IconCircleCheck size={20} color="var(--state-ok)" aria-hidden />
        <Text fw={600}>{first ? "First conversation arrived" : "A new trace arrived"}</Text>
        {conversationId === null ? (
          <Loader size={14} ml="auto" aria-label="Putting the conversation together" />
        ) : (
          <Button
            ml="auto"
            component={Link}
            href={`/p/${projectId}/conversations/${encodeURIComponent(conversationId)}`}
            rightSection={<IconArrowRight size={14} aria-hidden />}
          >
            Open the conversation
          </Button>
        )}
      </div>
      <ul className={classes.facts}>
        <li>
          {plural(receipt.received, "span")} received, {formatCount(receipt.stored)} stored
          {receipt.duplicates > 0 ? `, ${formatCount(receipt.duplicates)} sent before` : ""}
          {receipt.rejected > 0 ? `, ${formatCount(receipt.rejected)} refused` : ""}
        </li>
        {receipt.masked ? <li>{plural(receipt.masked, "credential")} masked before anything was stored</li> : null}
        {receipt.rejections.slice(0, 3).map((rejection) => (
          <li key={rejection.index}>
            Span {rejection.index} was refused: {rejection.reason}
          </li>
        ))}
        {receipt.ignoredIds?.slice(0, 3).map(({ attribute, value, items }) => (
          <li key={`${attribute} ${value}`}>
            <span className="mono">{attribute}</span> of {plural(items, "span")} is{" "}
            <span className="mono">{value}</span>, which is no id: set it, so that conversations are told apart
          </li>
        ))}
        {conversation ? (
          <>
            <li>
              Read as {plural(conversation.messageCount, "message")},{" "}
              {plural(conversation.modelCallCount, "model call")} and {plural(conversation.toolCallCount, "tool call")}
              {conversation.models.length > 0 ? (
                <>
                  {" "}
                  with <span className="mono">{conversation.models.join(", ")}</span>
                </>
              ) : null}
            </li>
            <li>
              {plural(tokensIn(conversation.usage), "token")}, cost <ConversationCost conversation={conversation} />
              {conversation.externalId === null
                ? "; no conversation id was sent, so each trace is its own conversation"
                : ""}
            </li>
          </>
        ) : null}
        {spans ? (
          <li>
            {unmapped.length === 0 ? (
              `Every attribute ${trace?.spansCursor === null ? "" : `of the first ${plural(spans.length, "span")} `}was mapped.`
            ) : (
              <>
                Stored, but not mapped:{" "}
                <span className="mono">
                  {unmapped.slice(0, NAMES_SHOWN).join(", ")}
                  {unmapped.length > NAMES_SHOWN ? ` and ${unmapped.length - NAMES_SHOWN} more` : ""}
                </span>
              </>
            )}
          </li>
        ) : null}
      </ul>
    </div>
  );
}
