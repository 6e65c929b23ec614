"use client";
import { Button, Group, Modal, Stack, TextInput } from "@mantine/core";
import { useState } from "react";
import { Refused } from "@/app/_components/feedback/refused";

type Props = {
  opened: boolean;
  onClose: () => void;
  title: string;
  /** The text to type exactly. */
  phrase: string;
  /** The button's label. */
  action: string;
  /** Whether confirming is possible yet: the impact has been shown. */
  ready: boolean;
  running: boolean;
  error: unknown;
  onConfirm: () => void;
  /** What will be deleted. */
  children: React.ReactNode;
};

/** Confirms an irreversible action: shows its impact, and asks for a word that nobody types by accident. */
export function TypeToConfirm({ opened, onClose, title, children, ...rest }: Props) {
  return (
    <Modal opened={opened} onClose={onClose} title={title} size="lg">
      <Stack gap="md">
        {children}
        <Confirm {...rest} onClose={onClose} />
      </Stack>
    </Modal>
  );
}

type ConfirmProps = Omit<Props, "opened" | "title" | "children">;

/** A separate component, so that the typed text is reset each time. */
function Confirm({ phrase, action, ready, running, error, onConfirm, onClose }: ConfirmProps) {
  const [typed, setTyped] = useState("");
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (ready && typed === phrase) onConfirm();
      }}
    >
      <Stack gap="md">
        <Refused error={error} />
        <TextInput
          label={
            <>
              Type{" "}
              <bdi className="mono" style={{ wordBreak: "break-all", fontWeight: 400 }}>
                {phrase}
              </bdi>{" "}
              to confirm
            </>
          }
          dir="auto"
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          data-autofocus
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" color="red" loading={running} disabled={!ready || typed !== phrase}>
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
