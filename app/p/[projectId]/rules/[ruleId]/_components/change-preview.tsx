import { Stack, Table, Text } from "@mantine/core";
import Link from "next/link";
import { TableScroll } from "@/app/_components/layout/table-scroll";
import { InlineCode } from "@/app/_components/values/inline-code";
import { formatCount, plural } from "@/app/_lib/format";
import type { RouterOutputs } from "@/app/_lib/trpc/client";

type Preview = RouterOutputs["rules"]["preview"]["preview"];

/** What the changes would have found in the last 7 days, compared with the saved settings. */
export function ChangePreview({ projectId, preview }: { projectId: string; preview: Preview }) {
  const { conversations, complete, signals, examples } = preview;
  const changed = signals.filter(({ gained, lost }) => gained + lost > 0);
  return (
    <Stack gap="xs" role="status" aria-label="Preview of the changes">
      <Text size="sm">
        {changed.length === 0 ? "Nothing would change" : `${plural(changed.length, "Signal")} would change`} in{" "}
        {complete ? "the" : "the newest"} {plural(conversations, "conversation")} of the last 7 days.
      </Text>
      {changed.length > 0 ? (
        <TableScroll label="What would change" minWidth={420}>
          <Table fz="sm" verticalSpacing={4} aria-label="What would change, by Signal">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Signal</Table.Th>
                <Table.Th ta="end">As saved</Table.Th>
                <Table.Th ta="end">With the changes</Table.Th>
                <Table.Th ta="end">Gained</Table.Th>
                <Table.Th ta="end">Lost</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {changed.map(({ name, before, after, gained, lost }) => (
                <Table.Tr key={name}>
                  <Table.Td className="mono">{name}</Table.Td>
                  {[before, after, gained, lost].map((value, index) => (
                    // biome-ignore lint/suspicious/noArrayIndexKey: four fixed columns
                    <Table.Td key={index} ta="end" className="tabular">
                      {formatCount(value)}
                    </Table.Td>
                  ))}
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </TableScroll>
      ) : null}
      {examples.length > 0 ? (
        <Stack gap={2} component="ul" style={{ listStyle: "none", padding: 0, margin: 0 }} aria-label="Examples">
          {examples.map(({ conversationId, signal, change, title }) => (
            <Text component="li" size="sm" key={`${conversationId} ${signal}`}>
              {change === "gained" ? "+ " : "− "}
              <Link href={`/p/${projectId}/conversations/${encodeURIComponent(conversationId)}`}>
                <InlineCode text={title} />
              </Link>
              <Text span size="xs" c="dimmed">
                {" "}
                {change === "gained" ? "would be found in" : "would no longer be found in"}{" "}
                <span className="mono">{conversationId}</span>
              </Text>
            </Text>
          ))}
        </Stack>
      ) : null}
    </Stack>
  );
}
