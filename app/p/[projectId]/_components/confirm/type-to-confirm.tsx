"use client";
import { Button, Group, Modal, Stack, TextInput } from "@mantine/core";
import { useState } from "react";
import { Refused } from "@/app/_components/feedback/refused";

type Props = {
  opened: boolean;
  onClose: () => void;
  title: string;
  /** What has to be typed, letter by letter. */
  phrase: string;
  /** What the button says. */
  action: string;
  /** Whether it can be done by now: what it would take has been shown. */
  ready: boolean;
  running: boolean;
  error: unknown;
  onConfirm: () => void;
  /** What goes. */
  children: React.ReactNode;
};

/** What cannot be taken back: says what goes, and waits for a word that nobody types by accident. */
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

/** A part of its own, so that what was typed once is not there the next time. */
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
