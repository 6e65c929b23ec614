import { Table, Text } from "@mantine/core";
import { TableScroll } from "@/app/_components/layout/table-scroll";
import { Ago } from "@/app/_components/values/ago";
import { Dot } from "@/app/_components/values/dot";
import { formatBytes, UNKNOWN } from "@/app/_lib/format";
import type { RouterOutputs } from "@/app/_lib/trpc/client";

type Job = RouterOutputs["trainingJobs"]["get"]["job"];

const KINDS: Record<Job["artifacts"][number]["kind"], string> = {
  "merged-16bit": "Merged, 16-bit",
  "lora-adapter": "LoRA adapter",
  gguf: "GGUF",
  "gguf-lora": "GGUF adapter",
  compressed: "Compressed",
};

/** What was built from a run's checkpoints, with warnings and the reason why a form failed. */
export const Artifacts = ({ artifacts }: Pick<Job, "artifacts">) => (
  <TableScroll minWidth={620} label="Built formats">
    <Table aria-label="Built formats">
      <Table.Thead>
        <Table.Tr>
          <Table.Th pl="md">Format</Table.Th>
          <Table.Th>State</Table.Th>
          <Table.Th ta="end">Size</Table.Th>
          <Table.Th ta="end" pr="md">
            Built
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {artifacts.map(({ id, kind, quantization, state, bytes, warnings, error, createdAt }) => (
          <Table.Tr key={id}>
            <Table.Td pl="md">
              {KINDS[kind]}
              {quantization === null ? null : <span className="mono"> {quantization}</span>}
            </Table.Td>
            <Table.Td>
              {state === "ready" ? (
                <Dot color="var(--state-ok)">Ready</Dot>
              ) : (
                <Dot color="var(--severity-critical)">Failed</Dot>
              )}
              {[...(error === null ? [] : [error.message, error.hint ?? ""]), ...warnings]
                .filter(Boolean)
                .map((said) => (
                  <Text key={said} size="xs" c="dimmed">
                    {said}
                  </Text>
                ))}
            </Table.Td>
            <Table.Td ta="end" className="tabular">
              {state === "ready" ? formatBytes(bytes) : UNKNOWN}
            </Table.Td>
            <Table.Td ta="end" pr="md">
              <Ago at={createdAt} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  </TableScroll>
);
