import { useQuery } from "@tanstack/react-query";
import { ChangeWords, type WordsChange } from "@/app/_components/words/change-words";
import { useTRPC } from "@/app/_lib/trpc/client";
import { LABEL_CHARACTERS, LABELS_MAX } from "@/server/services/telemetry/schemas";

type Props = {
  projectId: string;
  /** The number of conversations in words; `null` while closed. */
  subject: string | null;
  onAnswer: (change: WordsChange | null) => void;
};

/** Asks which labels to add to the chosen conversations, and which to remove. */
export function LabelDialog({ projectId, subject, onAnswer }: Props) {
  const trpc = useTRPC();
  const facets = useQuery(trpc.conversations.facets.queryOptions({ projectId }, { enabled: subject !== null }));
  return (
    <ChangeWords
      title={subject && `Labels of ${subject}`}
      known={facets.data?.facets.labels.map(({ value }) => value) ?? []}
      action="Change labels"
      removing="Labels sent by the client stay."
      charactersMax={LABEL_CHARACTERS}
      wordsMax={LABELS_MAX}
      onAnswer={onAnswer}
    />
  );
}
