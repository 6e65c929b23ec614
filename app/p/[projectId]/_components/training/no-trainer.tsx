import { Button, Code, Group, Stack, Text } from "@mantine/core";
import { IconCpu } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { CopyButton } from "@/app/_components/controls/copy-button";
import { EmptyState } from "@/app/_components/feedback/empty-state";
import { useTRPC } from "@/app/_lib/trpc/client";
import { pageHref } from "../shell/pages";

/** The environment with which Whetstone is started to attach a trainer. */
export const ATTACH = "TRAINER_URL=http://127.0.0.1:8420\nTRAINER_TOKEN=<the token that the trainer prints>";
const START = "npm run trainer";

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
    icon={<IconCpu size={32} stroke={1.5} aria-hidden />}
    title="Attach a trainer"
    below={<AttachLines />}
    action={
      here ? undefined : (
        <Button component={Link} href={pageHref(projectId, "trainers")} variant="default">
          Trainers
        </Button>
      )
    }
  >
    Models are trained by a service on your own machine, with a GPU or, for small models, without one. Start it there,
    give Whetstone its address, and restart Whetstone. For a machine that Whetstone cannot reach, add an agent under
    Trainers.
  </EmptyState>
);

/** The command that starts a trainer and the two lines that attach it. */
export const AttachLines = () => (
  <Stack gap="xs" mt="md" ta="start">
    <Lines label="On the training machine" text={START} />
    <Lines label="In Whetstone’s environment" text={ATTACH} />
  </Stack>
);

const Lines = ({ label, text }: { label: string; text: string }) => (
  <div>
    <Group justify="space-between" gap="xs">
      <Text size="xs" c="dimmed">
        {label}
      </Text>
      <CopyButton value={text} label={`Copy: ${label.toLowerCase()}`} />
    </Group>
    <Code block style={{ overflowWrap: "anywhere", whiteSpace: "pre-wrap" }}>
      {text}
    </Code>
  </div>
);
