"use client";
import { Alert, Anchor, Button, Group, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { problemOf } from "@/app/_lib/problem";
import { CopyButton } from "../controls/copy-button";

type Props = { error: unknown; onRetry?: (() => void) | undefined; retrying?: boolean };

/** Shows a failure with its title, its request id, a retry button and a link to its documentation. */
export function ErrorState({ error, onRetry, retrying = false }: Props) {
  const problem = problemOf(error);
  return (
    <Alert
      role="alert"
      color="red"
      m="md"
      maw={640}
      title={problem.title}
      icon={<IconAlertTriangle size={18} aria-hidden />}
      styles={{ title: { color: "var(--mantine-color-error)" } }}
    >
      <Text size="sm">{problem.detail}</Text>
      {problem.requestId ? (
        <Group gap={4} mt={4}>
          <Text size="xs" c="dimmed">
            Request <span className="mono">{problem.requestId}</span>
          </Text>
          <CopyButton value={problem.requestId} label="Copy request ID" />
        </Group>
      ) : null}
      <Group gap="sm" mt="sm">
        {problem.code === "UNAUTHORIZED" ? (
          <Button component="a" href="/sign-in">
            Sign in
          </Button>
        ) : onRetry ? (
          <Button variant="default" onClick={onRetry} loading={retrying}>
            Try again
          </Button>
        ) : null}
        <Anchor href="/docs" size="sm" c="var(--mantine-color-anchor)">
          Open the API reference
        </Anchor>
      </Group>
    </Alert>
  );
}
