"use client";
import { Button, Group, Modal, Radio, Stack, TextInput } from "@mantine/core";
import { useState } from "react";

const REASONS = [
  "The proposed answer is wrong",
  "The answer was fine as it was",
  "Not worth learning",
  "Contains personal data",
  "A duplicate",
] as const;
const OTHER = "other";
const REASON_MAX = 500;

type Props = { opened: boolean; onClose: () => void; onReject: (reason: string) => void };

/** Asks why a candidate is rejected: arrow keys choose, Enter rejects. */
export const RejectDialog = ({ opened, onClose, onReject }: Props) => (
  <Modal opened={opened} onClose={onClose} title="Reject the candidate">
    <Fields onClose={onClose} onReject={onReject} />
  </Modal>
);

function Fields({ onClose, onReject }: Omit<Props, "opened">) {
  const [choice, setChoice] = useState<string>(REASONS[0]);
  const [words, setWords] = useState("");
  const reason = choice === OTHER ? words.trim() : choice;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (reason !== "") onReject(reason);
      }}
    >
      <Stack gap="md">
        <Radio.Group label="Reason" value={choice} onChange={setChoice}>
          <Stack gap={8} mt={6}>
            {REASONS.map((one, index) => (
              <Radio key={one} value={one} label={one} {...(index === 0 ? { "data-autofocus": true } : {})} />
            ))}
            <Radio value={OTHER} label="Another reason" />
          </Stack>
        </Radio.Group>
        {choice === OTHER ? (
          <TextInput
            aria-label="Another reason"
            required
            maxLength={REASON_MAX}
            value={words}
            onChange={(event) => setWords(event.currentTarget.value)}
          />
        ) : null}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" color="red" disabled={reason === ""}>
            Reject
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
