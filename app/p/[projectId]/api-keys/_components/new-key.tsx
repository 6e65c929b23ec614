"use client";
import { Button, Checkbox, Group, Modal, NativeSelect, SimpleGrid, Stack, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Refused } from "@/app/_components/feedback/refused";
import { useTRPC } from "@/app/_lib/trpc/client";
import { SecretOnce } from "@/app/p/[projectId]/api-keys/_components/secret-once";
import { type Capability, DEFAULT_KEY_CAPABILITIES } from "@/server/platform/capabilities";
import { CAPABILITY_WORDS } from "./capability-words";

const DAY_MS = 86_400_000;
const EXPIRY = [
  { value: "", label: "Never" },
  { value: "7", label: "In 7 days" },
  { value: "30", label: "In 30 days" },
  { value: "90", label: "In 90 days" },
  { value: "365", label: "In a year" },
];
const ALL = Object.keys(CAPABILITY_WORDS) as Capability[];
const PRESETS: { label: string; capabilities: readonly Capability[] }[] = [
  { label: "Send only", capabilities: ["telemetry:write"] },
  { label: "Send and read", capabilities: DEFAULT_KEY_CAPABILITIES },
  { label: "Read only", capabilities: DEFAULT_KEY_CAPABILITIES.filter((one) => one !== "telemetry:write") },
];

export function NewKey({ projectId, opened, onClose }: { projectId: string; opened: boolean; onClose: () => void }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const [name, setName] = useState("");
  const [days, setDays] = useState("");
  const [capabilities, setCapabilities] = useState<string[]>([...DEFAULT_KEY_CAPABILITIES]);
  const create = useMutation(
    trpc.apiKeys.create.mutationOptions({
      onSuccess: () => queries.invalidateQueries({ queryKey: trpc.apiKeys.pathKey() }),
    }),
  );
  const close = () => {
    onClose();
    setName("");
    setDays("");
    setCapabilities([...DEFAULT_KEY_CAPABILITIES]);
    create.reset();
  };
  const created = create.data;
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={created ? `Key "${created.apiKey.name}"` : "New key"}
      size="lg"
      closeOnClickOutside={!created}
      closeOnEscape={!created}
    >
      {created ? (
        <Stack gap="md">
          <SecretOnce secret={created.secret} />
          <Group justify="flex-end">
            <Button onClick={close}>I have copied it</Button>
          </Group>
        </Stack>
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            create.mutate({
              projectId,
              name: name.trim(),
              capabilities: ALL.filter((one) => capabilities.includes(one)),
              expiresAt: days ? Date.now() + Number(days) * DAY_MS : null,
            });
          }}
        >
          <Stack gap="md">
            <Refused error={create.error} />
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
                description="It stops working then."
                value={days}
                onChange={(event) => setDays(event.currentTarget.value)}
                data={EXPIRY}
              />
            </Group>
            <Checkbox.Group
              label="It may"
              description="As little as its program needs: a send-only key can read nothing."
              value={capabilities}
              onChange={setCapabilities}
            >
              <Group gap="xs" my="xs">
                {PRESETS.map((preset) => (
                  <Button
                    key={preset.label}
                    size="compact-xs"
                    variant="default"
                    onClick={() => setCapabilities([...preset.capabilities])}
                  >
                    {preset.label}
                  </Button>
                ))}
              </Group>
              <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs" verticalSpacing={8}>
                {ALL.map((one) => (
                  <Checkbox
                    key={one}
                    size="xs"
                    value={one}
                    label={CAPABILITY_WORDS[one]}
                    description={<span className="mono">{one}</span>}
                  />
                ))}
              </SimpleGrid>
            </Checkbox.Group>
            <Group justify="flex-end">
              <Button variant="default" onClick={close}>
                Cancel
              </Button>
              <Button
                type="submit"
                loading={create.isPending}
                disabled={name.trim() === "" || capabilities.length === 0}
              >
                Create key
              </Button>
            </Group>
          </Stack>
        </form>
      )}
    </Modal>
  );
}
