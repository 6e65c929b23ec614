import { Button, Group, NativeSelect, Stack, TextInput } from "@mantine/core";
import { useState } from "react";
import { Refused } from "@/app/_components/feedback/refused";
import { type Capability, DEFAULT_KEY_CAPABILITIES } from "@/server/platform/capabilities";
import { DAY_MS } from "@/server/platform/durations";
import { CapabilityChoice } from "./capability-choice";
import { ALL_CAPABILITIES } from "./capability-words";

const EXPIRY = [
  { value: "", label: "Never" },
  { value: "7", label: "In 7 days" },
  { value: "30", label: "In 30 days" },
  { value: "90", label: "In 90 days" },
  { value: "365", label: "In a year" },
];

type Props = {
  error: unknown;
  pending: boolean;
  onCancel: () => void;
  onSubmit: (key: { name: string; capabilities: Capability[]; expiresAt: number | null }) => void;
};

export function NewKeyForm({ error, pending, onCancel, onSubmit }: Props) {
  const [name, setName] = useState("");
  const [days, setDays] = useState("");
  const [capabilities, setCapabilities] = useState<string[]>([...DEFAULT_KEY_CAPABILITIES]);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit({
          name: name.trim(),
          capabilities: ALL_CAPABILITIES.filter((one) => capabilities.includes(one)),
          expiresAt: days ? Date.now() + Number(days) * DAY_MS : null,
        });
      }}
    >
      <Stack gap="md">
        <Refused error={error} />
        <Group grow align="flex-start">
          <TextInput
            label="Name"
            description="Where it is used."
            placeholder="checkout service, production"
            required
            maxLength={120}
            data-autofocus
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <NativeSelect
            size="sm"
            label="Expires"
            description="The key stops working then."
            value={days}
            onChange={(event) => setDays(event.currentTarget.value)}
            data={EXPIRY}
          />
        </Group>
        <CapabilityChoice value={capabilities} onChange={setCapabilities} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" loading={pending} disabled={name.trim() === "" || capabilities.length === 0}>
            Create key
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
