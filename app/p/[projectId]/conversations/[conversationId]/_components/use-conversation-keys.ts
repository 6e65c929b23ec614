import { useRouter } from "next/navigation";
import { ESC, useKeys } from "@/app/_lib/use-keys";
import { useMay } from "../../../_components/access/membership";
import type { ConversationView } from "./view";

type Options = {
  view: ConversationView;
  /** The list that Esc returns to. */
  back: string;
  /** Positions of messages with evidence. */
  marked: readonly number[];
  labelling: boolean;
  onLabelling: (labelling: boolean) => void;
};

/** Handles the page's keys: n and p for evidence, [ and ] for tabs, l for labels, Esc for back. */
export function useConversationKeys({ view, back, marked, labelling, onLabelling }: Options) {
  const router = useRouter();
  const mayLabel = useMay("diagnostics:write");
  const move = {
    n: () => goToMark(marked, 1),
    p: () => goToMark(marked, -1),
    "]": () => view.showTabBeside(1),
    "[": () => view.showTabBeside(-1),
  };
  useKeys({
    ...(labelling ? {} : move),
    l: (event) => {
      if (!mayLabel) return;
      // Keeps the letter from being typed into the editor.
      event.preventDefault();
      onLabelling(true);
    },
    [ESC]: () => (labelling ? onLabelling(false) : view.spans.span ? view.show({ span: null }) : router.push(back)),
  });
}

/** Moves the URL to the next or previous message with evidence, wrapping around. */
function goToMark(marked: readonly number[], by: 1 | -1) {
  const turns = [...marked].sort((a, b) => a - b);
  const at = Number(/^#m-(\d+)$/.exec(window.location.hash)?.[1] ?? (by === 1 ? -1 : Number.POSITIVE_INFINITY));
  const next =
    by === 1 ? (turns.find((turn) => turn > at) ?? turns[0]) : (turns.findLast((turn) => turn < at) ?? turns.at(-1));
  if (next !== undefined) window.location.hash = `m-${next}`;
}
