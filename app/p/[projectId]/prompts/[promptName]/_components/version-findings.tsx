import { Text } from "@mantine/core";
import Link from "next/link";
import { plural } from "@/app/_lib/format";
import type { PromptReference } from "@/server/services/telemetry/schemas";
import { promptConversationsHref } from "../../../_components/prompts/hrefs";
import { pageHref } from "../../../_components/shell/pages";
import type { Usage } from "./view";

type Props = {
  projectId: string;
  prompt: PromptReference;
  usage: Usage;
  days: { from: number; to: number };
};

/** The Findings in most conversations of a version, each with these conversations. */
export function VersionFindings({ projectId, prompt, usage: { findings }, days }: Props) {
  if (findings === null) return null;
  return (
    <section aria-label="Findings">
      <Text size="sm" fw={500} mb={4}>
        Findings in its conversations
      </Text>
      {findings.length === 0 ? (
        <Text size="sm" c="dimmed">
          None was found.
        </Text>
      ) : (
        <ul style={{ margin: 0, paddingInlineStart: "1.125rem", overflowWrap: "anywhere" }}>
          {findings.map(({ id, title, conversations }) => (
            <li key={id}>
              <Link href={`${pageHref(projectId, "findings")}/${encodeURIComponent(id)}`}>{title}</Link>{" "}
              <Link href={promptConversationsHref(projectId, prompt, days, { finding: id })}>
                {plural(conversations, "conversation")}
              </Link>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
