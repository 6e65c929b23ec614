import { Table, Text } from "@mantine/core";
import Link from "next/link";
import { TableScroll } from "@/app/_components/layout/table-scroll";
import { Dot } from "@/app/_components/values/dot";
import { Unknown } from "@/app/_components/values/unknown";
import { formatCount } from "@/app/_lib/format";
import type { Certificate } from "@/server/services/proof/certificates/schemas";
import { deploymentHref } from "../training/hrefs";
import { LookDot } from "./status";
import { distanceWords, thresholdWords, tokensWords } from "./subject-words";
import { formWords, SUBJECT_VERDICT } from "./words";

type Subject = NonNullable<Certificate["subjects"]>[number];
type Props = { projectId: string; subjects: readonly Subject[] };

/** The figures of each form that was compared with the checkpoint. Distances are in nats per token. */
export const SubjectsTable = ({ projectId, subjects }: Props) => (
  <TableScroll minWidth={720} label="Compared formats">
    <Table aria-label="Compared formats">
      <Table.Thead>
        <Table.Tr>
          <Table.Th pl="md">Form</Table.Th>
          <Table.Th>Verdict</Table.Th>
          <Table.Th ta="end">Equal answers</Table.Th>
          <Table.Th ta="end">Equal tokens</Table.Th>
          <Table.Th ta="end">First difference</Table.Th>
          <Table.Th ta="end" title="Nats per token of the checkpoint's answers">
            Mean distance
          </Table.Th>
          <Table.Th ta="end" pr="md">
            Largest
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {subjects.map((subject) => (
          <Table.Tr key={`${subject.kind} ${subject.quantization} ${subject.deploymentId}`}>
            <Table.Td pl="md">
              {subject.deploymentId === null ? (
                formWords(subject)
              ) : (
                <Link href={deploymentHref(projectId, subject.deploymentId)}>{formWords(subject)}</Link>
              )}
            </Table.Td>
            <Table.Td>
              <Verdict subject={subject} />
            </Table.Td>
            <Table.Td ta="end" className="tabular">
              {formatCount(subject.identicalAnswers)} of {formatCount(subject.prompts)}
            </Table.Td>
            <Table.Td ta="end" className="tabular">
              {tokensWords(subject)}
            </Table.Td>
            <Table.Td ta="end" className="tabular">
              {subject.firstDifference === null ? "None" : `Token ${formatCount(subject.firstDifference + 1)}`}
            </Table.Td>
            <Table.Td ta="end" className="tabular" title={thresholdWords(subject)}>
              {subject.meanLogprobDistance === null ? (
                <Unknown why="Not measured" />
              ) : (
                distanceWords(subject.meanLogprobDistance)
              )}
            </Table.Td>
            <Table.Td ta="end" pr="md" className="tabular">
              {subject.maxLogprobDistance === null ? (
                <Unknown why="Not measured" />
              ) : (
                distanceWords(subject.maxLogprobDistance)
              )}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  </TableScroll>
);

function Verdict({ subject: { verdict, error } }: { subject: Subject }) {
  return (
    <>
      {verdict === null ? (
        <Dot color="var(--severity-critical)" hollow>
          Not compared
        </Dot>
      ) : (
        <LookDot look={SUBJECT_VERDICT[verdict]} />
      )}
      {error === null ? null : (
        <Text size="xs" c="dimmed">
          {[error.message, error.hint].filter(Boolean).join(" ")}
        </Text>
      )}
    </>
  );
}
