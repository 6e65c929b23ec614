import { Button, Group, SegmentedControl, Stack, Table, Text, Textarea, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useQueryStates } from "nuqs";
import { parseAsString, parseAsStringLiteral } from "nuqs/server";
import { useState } from "react";
import { Refused } from "@/app/_components/feedback/refused";
import { TableScroll } from "@/app/_components/layout/table-scroll";
import { InlineCode } from "@/app/_components/values/inline-code";
import { plural, UNKNOWN } from "@/app/_lib/format";
import { type RouterOutputs, useTRPC } from "@/app/_lib/trpc/client";
import { Confidence } from "@/app/p/[projectId]/_components/findings/confidence";
import type { ConfigurationPatch } from "@/server/services/diagnostics/rules/schemas";
import { messagesOf } from "./pasted";

type Tried = RouterOutputs["rules"]["try"];
type Props = { projectId: string; ruleId: string; patch: ConfigurationPatch | null };

/** `conversation` fills in the id, so that a conversation's page can link here. */
const parsers = {
  try: parseAsStringLiteral(["conversation", "pasted"]).withDefault("conversation"),
  conversation: parseAsString.withDefault(""),
};

/** Runs the Rule, unsaved changes included, on one conversation, and shows every Signal with its score. */
export function TryRule({ projectId, ruleId, patch }: Props) {
  const trpc = useTRPC();
  const [view, setView] = useQueryStates(parsers, { history: "replace" });
  const [text, setText] = useState("");
  const [unreadable, setUnreadable] = useState<string | null>(null);
  const attempt = useMutation(trpc.rules.try.mutationOptions());
  const asked = () => {
    if (view.try === "conversation") return { conversationId: view.conversation.trim() };
    return { messages: messagesOf(text) };
  };
  const submit = () => {
    try {
      const which = asked();
      setUnreadable(null);
      attempt.mutate({ projectId, ruleId, ...which, ...(patch ? { configuration: patch } : {}) });
    } catch (error) {
      setUnreadable(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Stack gap="md">
        <SegmentedControl
          aria-label="What to try it on"
          style={{ alignSelf: "flex-start" }}
          value={view.try}
          onChange={(value) => void setView({ try: value === "pasted" ? "pasted" : "conversation" })}
          data={[
            { value: "conversation", label: "A stored conversation" },
            { value: "pasted", label: "Pasted messages" },
          ]}
        />
        {view.try === "conversation" ? (
          <TextInput
            label="Conversation ID"
            description="Whetstone’s or your own."
            maw={480}
            spellCheck={false}
            value={view.conversation}
            onChange={(event) => void setView({ conversation: event.currentTarget.value })}
          />
        ) : (
          <Textarea
            label="Messages"
            description="JSON in the format of chat APIs, or plain lines such as “user: Where is my order?”"
            autosize
            minRows={5}
            maxRows={16}
            spellCheck={false}
            className="mono"
            value={text}
            error={unreadable}
            onChange={(event) => setText(event.currentTarget.value)}
          />
        )}
        <Refused error={attempt.error} />
        <Group gap="sm">
          <Button
            type="submit"
            variant="default"
            loading={attempt.isPending}
            disabled={view.try === "conversation" ? view.conversation.trim() === "" : text.trim() === ""}
          >
            Try the Rule
          </Button>
          {patch ? (
            <Text size="xs" c="dimmed">
              With the unsaved changes. Nothing is stored.
            </Text>
          ) : (
            <Text size="xs" c="dimmed">
              Nothing is stored.
            </Text>
          )}
        </Group>
        {attempt.data ? <Result tried={attempt.data} /> : null}
      </Stack>
    </form>
  );
}

const OUTCOME: Record<Tried["signals"][number]["outcome"], string> = {
  found: "Found",
  belowScore: "Below the minimum score",
  belowConfidence: "Below the minimum confidence",
  ambiguous: "Ambiguous: left to the adjudicator",
  off: "Off",
  nothing: "Nothing detected",
};

function Result({ tried: { messages, signals } }: { tried: Tried }) {
  const found = signals.filter(({ outcome }) => outcome === "found").length;
  return (
    <Stack gap="xs" role="status" aria-label="Result">
      <Text size="sm">
        {found === 0 ? "Nothing found" : plural(found, "occurrence")} in {plural(messages, "message")}.
      </Text>
      <TableScroll label="Signals" minWidth={560}>
        <Table fz="sm" verticalSpacing={4} aria-label="Every Signal with its score">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Signal</Table.Th>
              <Table.Th ta="end">Score</Table.Th>
              <Table.Th ta="end">Confidence</Table.Th>
              <Table.Th>Outcome</Table.Th>
              <Table.Th>Evidence</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {signals.map((signal, index) => (
              <Table.Tr
                // biome-ignore lint/suspicious/noArrayIndexKey: a Signal may be detected several times
                key={`${signal.name} ${index}`}
                {...(signal.outcome === "nothing" || signal.outcome === "off" ? { c: "dimmed" } : {})}
              >
                <Table.Td className="mono">{signal.name}</Table.Td>
                <Table.Td ta="end" className="tabular">
                  {signal.verdict === "no_match" ? UNKNOWN : signal.score.toFixed(2)}
                </Table.Td>
                <Table.Td ta="end" className="tabular">
                  {signal.confidenceBasis ? (
                    <Confidence value={signal.confidence} grounds={signal.confidenceBasis} />
                  ) : (
                    UNKNOWN
                  )}
                </Table.Td>
                <Table.Td style={{ whiteSpace: "nowrap" }}>{OUTCOME[signal.outcome]}</Table.Td>
                <Table.Td miw={200} style={{ overflowWrap: "anywhere" }}>
                  {signal.title ? (
                    <>
                      <InlineCode text={signal.title} />
                      {signal.evidence[0] ? (
                        <Text size="xs" c="dimmed">
                          “{signal.evidence[0].quote}”
                        </Text>
                      ) : null}
                    </>
                  ) : null}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </TableScroll>
    </Stack>
  );
}
