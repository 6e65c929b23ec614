import { ActionIcon, Button, Group, Popover, Stack, TagsInput, Text } from "@mantine/core";
import { IconTag } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { type KeyboardEvent, useState } from "react";
import { useTRPC } from "@/app/_lib/trpc/client";
import { ESC } from "@/app/_lib/use-keys";
import { LABEL_CHARACTERS, LABELS_MAX } from "@/server/services/telemetry/schemas";
import type { ConversationData } from "../transcript/transcript";
import { useLabels } from "./use-labels";

type Props = {
  projectId: string;
  conversation: ConversationData;
  opened: boolean;
  onChange: (opened: boolean) => void;
};

/** A button that opens an editor for the labels that people gave the conversation. */
export function LabelEditor({ projectId, conversation, opened, onChange }: Props) {
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    // The page's own keys are off while this is open.
    event.stopPropagation();
    // Escape closes the topmost layer: the suggestions, which also receive it, or else the editor.
    const suggestions = event.currentTarget.querySelector("[role=listbox]")?.checkVisibility();
    if (event.key === ESC && !event.nativeEvent.isComposing && !suggestions) onChange(false);
  };
  return (
    <Popover
      opened={opened}
      onChange={onChange}
      position="bottom-start"
      trapFocus
      returnFocus
      withinPortal
      closeOnEscape={false}
      // If it were reopened while fading out, it would keep its previous state.
      transitionProps={{ duration: 0 }}
    >
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
      <Popover.Dropdown p="sm" aria-label="Change labels" onKeyDown={onKeyDown}>
        <Fields projectId={projectId} conversation={conversation} onDone={() => onChange(false)} />
      </Popover.Dropdown>
    </Popover>
  );
}

/** Suggestions: labels of other conversations. */
const SUGGESTIONS = 5;

type FieldsProps = Pick<Props, "projectId" | "conversation"> & { onDone: () => void };

/** Remounted each time it opens, so that it starts from the current labels. */
function Fields({ projectId, conversation, onDone }: FieldsProps) {
  const trpc = useTRPC();
  // Only the difference from these is sent, so concurrent changes by others are kept.
  const [first] = useState(conversation);
  const [value, setValue] = useState(first.ownLabels);
  const [search, setSearch] = useState("");
  const [offering, setOffering] = useState(false);
  const { change, busy } = useLabels(projectId, conversation.id);
  const facets = useQuery(trpc.conversations.facets.queryOptions({ projectId }));
  const known = facets.data?.facets.labels.map((label) => label.value) ?? [];
  const sent = first.labels.filter((label) => !first.ownLabels.includes(label));
  // Merged conversations may have more labels than that.
  const most = Math.max(LABELS_MAX, first.ownLabels.length);
  const typed = search.trim();
  const next = typed === "" || value.includes(typed) ? value : [...value, typed];
  const full = value.length >= most;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (next.length > most) return;
        const add = next.filter((label) => !first.ownLabels.includes(label));
        change({ add, remove: first.ownLabels.filter((label) => !next.includes(label)) }, onDone);
      }}
    >
      <Stack gap="sm" w={280}>
        <TagsInput
          data-autofocus
          label="Labels"
          placeholder={value.length === 0 ? "Type and press Enter" : undefined}
          error={next.length > most ? `At most ${most} labels can be added here. Remove one first.` : null}
          data={full ? [] : known.filter((label) => !sent.includes(label))}
          value={value}
          onChange={(list) => setValue(list.map((label) => label.trim()).filter(Boolean))}
          searchValue={search}
          onSearchChange={(text) => {
            setSearch(text);
            setOffering(text !== "");
          }}
          dropdownOpened={offering}
          onDropdownOpen={() => setOffering(true)}
          onDropdownClose={() => setOffering(false)}
          // Pasted text goes into the input: as a label, it would be lost if no more labels fit.
          onPasteCapture={(event) => event.stopPropagation()}
          maxLength={LABEL_CHARACTERS}
          maxTags={most}
          isDuplicate={(label, list) => list.includes(label)}
          splitChars={[]}
          // Saving includes the typed text. Making it a label on blur could add a line and move Save away from the pointer.
          acceptValueOnBlur={false}
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
