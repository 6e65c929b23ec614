import { plural } from "@/app/_lib/format";
import { ConfirmDialog } from "../../../../_components/confirm/confirm-dialog";

type Props = {
  /** How many; `null` while closed. */
  count: number | null;
  onAnswer: (answer: true | null) => void;
};

const NOTHING_RUNS = { error: null, isPending: false, reset: () => {} };

/** Asks before Examples are deleted. */
export const DeleteExamples = ({ count, onAnswer }: Props) => (
  <ConfirmDialog
    subject={count}
    onClose={() => onAnswer(null)}
    title={(many) => `Delete ${plural(many, "Example")}?`}
    says={(many) =>
      `${many === 1 ? "It is" : "They are"} removed from the Dataset, but earlier versions still contain ${many === 1 ? "it" : "them"}. Restore one of those versions to get ${many === 1 ? "it" : "them"} back.`
    }
    action="Delete"
    running={NOTHING_RUNS}
    onConfirm={() => onAnswer(true)}
  />
);
