import { ActionIcon, Button, Group, Popover, Stack, TagsInput, Text } from "@mantine/core";
import { IconTag } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTRPC } from "@/app/_lib/trpc";
import { LABEL_CHARACTERS, LABELS_MAX } from "@/server/services/telemetry/schemas";
import type { ConversationData } from "./transcript";
import { useLabels } from "./use-labels";

type Props = {
  projectId: string;
  conversation: ConversationData;
  opened: boolean;
  onChange: (opened: boolean) => void;
};

/** A button that opens what people here label a conversation with, for adding and taking away. */
export function LabelEditor({ projectId, conversation, opened, onChange }: Props) {
  return (
    <Popover opened={opened} onChange={onChange} position="bottom-start" trapFocus returnFocus withinPortal>
      <Popover.Target>
        <ActionIcon
          variant="subtle"
          color="gray"
          size={24}
          aria-label="Change labels"
          title="Change labels (l)"
          onClick={() => onChange(!opened)}
        >
          <IconTag size={14} aria-hidden />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown p="sm" aria-label="Change labels">
        <Fields projectId={projectId} conversation={conversation} onDone={() => onChange(false)} />
      </Popover.Dropdown>
    </Popover>
  );
}

/** Labels of other conversations that are offered while one writes. */
const SUGGESTIONS = 5;

type FieldsProps = Pick<Props, "projectId" | "conversation"> & { onDone: () => void };

/** Made anew each time it opens: it begins with what there is. */
function Fields({ projectId, conversation, onDone }: FieldsProps) {
  const trpc = useTRPC();
  const { labels, ownLabels } = conversation;
  const [value, setValue] = useState(ownLabels);
  const { set, busy } = useLabels(projectId, conversation);
  const facets = useQuery(trpc.conversations.facets.queryOptions({ projectId }));
  const known = facets.data?.facets.labels.map((label) => label.value) ?? [];
  const sent = labels.filter((label) => !ownLabels.includes(label));
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        set(value, onDone);
      }}
    >
      <Stack gap="sm" w={280}>
        <TagsInput
          data-autofocus
          label="Labels"
          placeholder={value.length === 0 ? "A word, then Enter" : undefined}
          data={known.filter((label) => !sent.includes(label))}
          value={value}
          onChange={(next) => setValue(next.map((label) => label.slice(0, LABEL_CHARACTERS).trim()).filter(Boolean))}
          maxTags={LABELS_MAX}
          splitChars={[]}
          acceptValueOnBlur
          openOnFocus={false}
          limit={SUGGESTIONS}
          comboboxProps={{ withinPortal: false }}
        />
        {sent.length > 0 ? (
          <Text size="xs" c="dimmed" style={{ overflowWrap: "anywhere" }}>
            Sent by the client: {sent.join(", ")}
          </Text>
        ) : null}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onDone}>
            Cancel
          </Button>
          <Button type="submit" loading={busy}>
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
