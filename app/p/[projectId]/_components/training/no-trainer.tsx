import { Button, Code, Group, Stack, Text } from "@mantine/core";
import { IconCpu } from "@tabler/icons-react";
import Link from "next/link";
import { CopyButton } from "@/app/_components/controls/copy-button";
import { EmptyState } from "@/app/_components/feedback/empty-state";
import { problemOf } from "@/app/_lib/problem";
import { useUnsupportedReads } from "@/app/_lib/trpc/refused-reads";
import { pageHref } from "../shell/pages";

/** The environment with which Whetstone is started to attach a trainer. */
export const ATTACH = "TRAINER_URL=http://127.0.0.1:8420\nTRAINER_TOKEN=<the token that the trainer prints>";
const START = "npm run trainer";

/** Returns whether an error means that no trainer is attached. */
export const isWithoutTrainer = (error: unknown) => problemOf(error).status === 501;

/** Returns whether a read fails because no trainer is attached; while it is pending, whether it did on the server. */
export function useWithoutTrainer({ error, isPending }: { error: unknown; isPending: boolean }) {
  const before = useUnsupportedReads();
  return isWithoutTrainer(error) || (isPending && before);
}

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
