import { Button, Code, Group, Stack, Text } from "@mantine/core";
import { IconCpu } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { CopyButton } from "@/app/_components/controls/copy-button";
import { EmptyState } from "@/app/_components/feedback/empty-state";
import { useTRPC } from "@/app/_lib/trpc/client";
import { pageHref } from "../shell/pages";

const START = "npx whetstone trainer";

/** Returns whether a list is empty because no trainer is attached, which could fill it. What is stored is shown without one. */
export function useWithoutTrainer(projectId: string, isEmpty: boolean) {
  const trpc = useTRPC();
  const { data } = useQuery(
    trpc.trainers.list.queryOptions({ projectId }, { enabled: isEmpty, staleTime: TRAINERS_MS }),
  );
  return isEmpty && data?.trainers.length === 0;
}

/** How long the list of trainers is fresh; they come and go when somebody sets one up. */
const TRAINERS_MS = 15_000;

/** Explains how to attach a trainer; fine-tuning can do nothing without one. */
export const NoTrainer = ({ projectId, here = false }: { projectId: string; here?: boolean }) => (
  <EmptyState
    icon={IconCpu}
    title="Attach a trainer"
    below={<StartLine />}
    action={
      here ? undefined : (
        <Button component={Link} href={pageHref(projectId, "trainers")} variant="default">
          Trainers
        </Button>
      )
    }
  >
    Models are trained by a service on your own machine, with a GPU or, for small models, without one. On the machine
    that runs Whetstone, it attaches itself. For another machine, add a trainer under Trainers.
  </EmptyState>
);

/** The command that starts a trainer and attaches it. */
const StartLine = () => (
  <Stack gap={4} mt="md" ta="start">
    <Group justify="space-between" gap="xs">
      <Text size="xs" c="dimmed">
        In the folder of Whetstone, on the machine that runs it
      </Text>
      <CopyButton value={START} label="Copy the command" />
    </Group>
    <Code block>{START}</Code>
  </Stack>
);
