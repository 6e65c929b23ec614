"use client";
import { Group, Text } from "@mantine/core";
import { Ago } from "@/app/_components/values/ago";
import { Dot } from "@/app/_components/values/dot";
import type { Connection } from "@/server/services/connections/schemas";

type Props = { connection: Pick<Connection, "lastTest" | "pollProblems"> };

/** The result of a connection's last test, its time, and its problems, including those of polling its tickets. */
export const LastTest = ({ connection: { lastTest, pollProblems } }: Props) => (
  <>
    <Result test={lastTest} />
    {pollProblems.map(({ destination, problem }) => (
      <Text key={destination} size="xs" maw="30rem" c="var(--severity-critical)">
        {`Cannot read the tickets of ${destination}. ${problem}`}
      </Text>
    ))}
  </>
);

function Result({ test }: { test: Connection["lastTest"] }) {
  if (!test) {
    return (
      <Text size="sm" c="dimmed" span>
        Not tested
      </Text>
    );
  }
  return (
    <>
      <Group gap={6} wrap="nowrap">
        {test.ok ? <Dot color="var(--state-ok)">Works</Dot> : <Dot color="var(--severity-critical)">Failed</Dot>}
        <Text size="xs" c="dimmed" span>
          <Ago at={test.at} />
        </Text>
      </Group>
      {test.problems.map((problem) => (
        <Text key={problem} size="xs" maw="30rem">
          {problem}
        </Text>
      ))}
    </>
  );
}
