"use client";
import { Button, Group } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconStethoscope } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import Link from "next/link";
import { TIME_TO_PRESS_MS } from "@/app/_components/feedback/toast";
import { BackLink } from "@/app/_components/layout/back-link";
import { PageHeader } from "@/app/_components/layout/page-header";
import { Ago } from "@/app/_components/values/ago";
import { formatCompact, plural } from "@/app/_lib/format";
import { problemOf } from "@/app/_lib/problem";
import { useTRPC } from "@/app/_lib/trpc/client";
import { tokensIn } from "@/app/p/[projectId]/_components/costs/usage-words";
import { useMay } from "../../../../_components/access/membership";
import { ConversationCost } from "../../../_components/conversation-cost";
import { Labels } from "../../../_components/labels";
import type { ConversationData } from "../transcript/transcript";
import classes from "./conversation-header.module.css";
import { ConversationMenu } from "./conversation-menu";
import { LabelEditor } from "./label-editor";

type Props = {
  projectId: string;
  back: string;
  conversation: ConversationData;
  labelling: boolean;
  onLabelling: (labelling: boolean) => void;
};

/** All of them are among the facts. */
const LABELS_SHOWN = 2;

export function ConversationHeader({ projectId, back, conversation, labelling, onLabelling }: Props) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const mayDiagnose = useMay("diagnostics:write");
  const mayDelete = useMay("project:admin");
  const diagnose = useMutation(
    trpc.ruleRuns.create.mutationOptions({
      onSuccess: ({ runs }) => {
        void queries.invalidateQueries({ queryKey: trpc.ruleRuns.pathKey() });
        notifications.show({
          autoClose: TIME_TO_PRESS_MS,
          title: plural(runs.length, "Rule Run"),
          message: (
            <Link href={`/p/${projectId}/rule-runs?conversation=${encodeURIComponent(conversation.id)}`}>
              See how they go
            </Link>
          ),
        });
      },
      onError: (error) =>
        notifications.show({ color: "red", title: problemOf(error).title, message: problemOf(error).detail }),
    }),
  );
  return (
    <PageHeader
      title={
        <span className={classes.title}>
          <BackLink href={back} label="All conversations" />
          <span className="clip">{conversation.preview ?? conversation.externalId ?? conversation.id}</span>
        </span>
      }
      aside={
        <>
          {mayDiagnose ? (
            <Button
              variant="default"
              leftSection={<IconStethoscope size={14} aria-hidden />}
              loading={diagnose.isPending}
              onClick={() =>
                diagnose.mutate({
                  projectId,
                  conversationId: conversation.id,
                  lastActivityAt: conversation.lastActivityAt,
                })
              }
            >
              Diagnose now
            </Button>
          ) : null}
          {mayDelete ? <ConversationMenu projectId={projectId} back={back} conversation={conversation} /> : null}
        </>
      }
    >
      <p className={classes.facts}>
        <Ago at={conversation.startedAt} />
        <span>{plural(conversation.messageCount, "message")}</span>
        <span>{plural(conversation.modelCallCount, "model call")}</span>
        <span>{plural(conversation.toolCallCount, "tool call")}</span>
        {conversation.errorCount > 0 ? <span>{plural(conversation.errorCount, "error")}</span> : null}
        <span title="tokens">{formatCompact(tokensIn(conversation.usage))} tokens</span>
        <span>
          cost <ConversationCost conversation={conversation} />
        </span>
      </p>
      <Group gap={4} wrap="nowrap" miw={0}>
        {conversation.labels.length > 0 ? (
          <Labels projectId={projectId} labels={conversation.labels} most={LABELS_SHOWN} />
        ) : null}
        {mayDiagnose ? (
          <LabelEditor projectId={projectId} conversation={conversation} opened={labelling} onChange={onLabelling} />
        ) : null}
      </Group>
    </PageHeader>
  );
}
