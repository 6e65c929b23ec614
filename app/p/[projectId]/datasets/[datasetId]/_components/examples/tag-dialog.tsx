import { ChangeWords, type WordsChange } from "@/app/_components/words/change-words";
import { plural } from "@/app/_lib/format";
import { TAG_CHARACTERS, TAGS_MAX } from "@/server/services/datasets/examples/schemas";

type Props = {
  /** How many Examples; `null` while closed. */
  count: number | null;
  known: readonly string[];
  onAnswer: (change: WordsChange | null) => void;
};

/** Asks which tags to add to the chosen Examples, and which to remove. */
export const TagDialog = ({ count, known, onAnswer }: Props) => (
  <ChangeWords
    title={count === null ? null : `Tags of ${plural(count, "Example")}`}
    known={known}
    action="Change tags"
    charactersMax={TAG_CHARACTERS}
    wordsMax={TAGS_MAX}
    onAnswer={onAnswer}
  />
);
