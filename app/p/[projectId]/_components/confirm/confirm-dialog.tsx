"use client";
import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { Refused } from "@/app/_components/feedback/refused";

type Props<Subject> = {
  /** What it is about; without one the dialog is closed. */
  subject: Subject | null;
  onClose: () => void;
  title: (subject: Subject) => React.ReactNode;
  /** What happens, and whether it can be undone. */
  says: (subject: Subject) => React.ReactNode;
  /** Further choices, below the text. */
  children?: React.ReactNode;
  /** The button's label, a verb. */
  action: string;
  /** The label of the button that cancels. */
  keep?: string;
  /** Whether the action is destructive; colours its button red. */
  danger?: boolean;
  /** Whether confirming is possible yet. */
  ready?: boolean;
  /** The mutation that confirming starts. */
  running: { error: unknown; isPending: boolean; reset: () => void };
  onConfirm: (subject: Subject) => void;
};

/** Asks before something that cannot simply be undone: explains what happens, and shows why it was refused. */
export function ConfirmDialog<Subject>(props: Props<Subject>) {
  const { subject, title, says, children, action, keep = "Cancel", danger = true, ready = true, running } = props;
  // Keeps the content while the dialog fades out.
  const [shown, setShown] = useState(subject);
  if (subject !== null && subject !== shown) setShown(subject);
  const close = () => {
    running.reset();
    props.onClose();
  };
  return (
    <Modal opened={subject !== null} onClose={close} title={shown === null ? "" : title(shown)}>
      {shown === null ? null : (
        <Stack gap="md">
          <Text size="sm">{says(shown)}</Text>
          {children}
          <Refused error={running.error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={close} data-autofocus>
              {keep}
            </Button>
            <Button
              {...(danger ? { color: "red" } : {})}
              disabled={!ready}
              loading={running.isPending}
              onClick={() => props.onConfirm(shown)}
            >
              {action}
            </Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}
