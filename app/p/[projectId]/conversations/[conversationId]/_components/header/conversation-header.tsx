"use client";
import { Group } from "@mantine/core";
import { BackLink } from "@/app/_components/layout/back-link";
import { PageHeader } from "@/app/_components/layout/page-header";
import { Ago } from "@/app/_components/values/ago";
import { formatCompact, plural } from "@/app/_lib/format";
import { tokensIn } from "@/app/p/[projectId]/_components/costs/usage-words";
import { useMay } from "../../../../_components/access/membership";
import { ShareButton } from "../../../../_components/sharing/share-button";
import { ConversationCost } from "../../../_components/conversation-cost";
import { Labels } from "../../../_components/labels";
import type { ConversationData } from "../transcript/transcript";
import classes from "./conversation-header.module.css";
import { ConversationMenu } from "./conversation-menu";
import { DiagnoseButton } from "./diagnose-button";
import { LabelEditor } from "./label-editor";

type Props = {
  projectId: string;
  back: string;
  conversation: ConversationData;
  labelling: boolean;
  onLabelling: (labelling: boolean) => void;
};

/** The complete list is shown among the facts. */
const LABELS_SHOWN = 2;

export function ConversationHeader({ projectId, back, conversation, labelling, onLabelling }: Props) {
  const mayDiagnose = useMay("diagnostics:write");
  const mayDelete = useMay("project:admin");
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
          {mayDiagnose ? <DiagnoseButton projectId={projectId} conversation={conversation} /> : null}
          <ShareButton projectId={projectId} shared={{ conversationId: conversation.id }} />
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
