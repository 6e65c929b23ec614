import { Button, Group, Modal, Stack, TagsInput } from "@mantine/core";
import { useState } from "react";

export type WordsChange = { add: string[]; remove: string[] };

type Props = {
  /** `null` while closed. */
  title: string | null;
  /** The words in use, as suggestions. */
  known: readonly string[];
  action: string;
  /** What to know before removing. */
  removing?: string;
  /** The maximum length of a word, and the maximum number of words. */
  charactersMax: number;
  wordsMax: number;
  onAnswer: (change: WordsChange | null) => void;
};

/** Asks which words, such as labels or tags, to add to the chosen things, and which to remove. */
export const ChangeWords = ({ title, ...fields }: Props) => (
  <Modal opened={title !== null} onClose={() => fields.onAnswer(null)} title={title ?? ""}>
    <Fields {...fields} />
  </Modal>
);

const clean = (words: string[]) => [...new Set(words.map((word) => word.trim()).filter(Boolean))];

/** A separate component, so that it starts empty each time. */
function Fields({ known, action, removing, charactersMax, wordsMax, onAnswer }: Omit<Props, "title">) {
  const [add, setAdd] = useState<string[]>([]);
  const [remove, setRemove] = useState<string[]>([]);
  const both = add.find((word) => remove.includes(word));
  const shared = {
    data: [...known],
    maxLength: charactersMax,
    maxTags: wordsMax,
    splitChars: [],
    acceptValueOnBlur: true,
    // If it opened on focus, the list of known words would capture the Escape that closes the dialog.
    openOnFocus: false,
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onAnswer({ add, remove });
      }}
    >
      <Stack gap="sm">
        <TagsInput
          {...shared}
          data-autofocus
          label="Add"
          placeholder={add.length === 0 ? "Type and press Enter" : undefined}
          value={add}
          onChange={(words) => setAdd(clean(words))}
        />
        <TagsInput
          {...shared}
          label="Remove"
          description={removing}
          value={remove}
          onChange={(words) => setRemove(clean(words))}
          error={both === undefined ? null : `“${both}” is in both lists.`}
        />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={() => onAnswer(null)}>
            Cancel
          </Button>
          <Button type="submit" disabled={add.length + remove.length === 0 || both !== undefined}>
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
