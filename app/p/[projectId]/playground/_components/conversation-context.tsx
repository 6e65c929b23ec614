import { ActionIcon, Text, Tooltip } from "@mantine/core";
import { IconX } from "@tabler/icons-react";
import Link from "next/link";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { plural } from "@/app/_lib/format";
import { pageHref } from "../../_components/shell/pages";
import classes from "./playground.module.css";
import type { useContextMessages } from "./use-context";

type Props = {
  projectId: string;
  conversationId: string;
  turn: number;
  context: ReturnType<typeof useContextMessages>;
  onRemove: () => void;
};

const ROLES: Record<string, string> = { user: "User", assistant: "Assistant", system: "System", tool: "Tool" };

/** The messages of a conversation to be answered, and the answer that was recorded. */
export function ConversationContext({ projectId, conversationId, turn, context, onRemove }: Props) {
  const { query, before, recorded } = context;
  if (query.error) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  const href = `${pageHref(projectId, "conversations")}/${encodeURIComponent(conversationId)}#m-${turn}`;
  return (
    <div className={classes.context}>
      <details>
        <summary>
          {query.isPending ? "Loading the conversation" : `${plural(before.length, "message")} of a conversation`}
        </summary>
        <dl className={classes.before}>
          {before.map(({ role, content, tool_calls: calls }, n) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: messages keep their order
            <div key={n}>
              <dt>{ROLES[role] ?? role}</dt>
              <dd dir="auto">{content ?? calls?.map((call) => call.function.name).join(", ")}</dd>
            </div>
          ))}
          {recorded === null ? null : (
            <div>
              <dt>Recorded answer</dt>
              <dd dir="auto">{recorded}</dd>
            </div>
          )}
        </dl>
      </details>
      <Text size="sm" component="span">
        <Link href={href}>Open the conversation</Link>
      </Text>
      <Tooltip label="Ask without it">
        <ActionIcon aria-label="Ask without the conversation" onClick={onRemove}>
          <IconX size={16} aria-hidden />
        </ActionIcon>
      </Tooltip>
    </div>
  );
}
