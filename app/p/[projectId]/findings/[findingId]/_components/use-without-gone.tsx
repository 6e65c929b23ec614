import { List, Text } from "@mantine/core";
import { useState } from "react";
import { InlineCode } from "@/app/_components/values/inline-code";
import { formatCount, plural } from "@/app/_lib/format";
import { fieldProblem, problemOf } from "@/app/_lib/problem";
import type { Finding } from "@/server/services/diagnostics/schemas";
import { ConfirmDialog } from "../../../_components/confirm/confirm-dialog";

type Question = { gone: readonly Finding[]; left: readonly Finding[]; answer: (goOn: boolean) => void };

const TITLES_MAX = 5;
/** The dialog only asks; the change runs after it has closed. */
const AT_ONCE = { error: null, isPending: false, reset: () => {} };

/** Returns the Findings that no longer exist, according to the error of a refused change. */
const goneIn = (error: unknown, findings: readonly Finding[]) =>
  problemOf(error).status === 404 ? findings.filter((_, at) => fieldProblem(error, `/findingIds/${at}`) !== null) : [];

/** Returns a function that changes Findings and, if some are gone, asks whether to go on without them; and its dialog. */
export function useWithoutGone() {
  const [question, setQuestion] = useState<Question | null>(null);
  const answer = (goOn: boolean) => {
    question?.answer(goOn);
    setQuestion(null);
  };
  const ask = (gone: readonly Finding[], left: readonly Finding[]) =>
    new Promise<boolean>((resolve) => setQuestion({ gone, left, answer: resolve }));

  /** Resolves to `null` if the reader decides against it. */
  const run = async <Done,>(findings: readonly Finding[], change: (findings: readonly Finding[]) => Promise<Done>) => {
    for (let asked = findings; ; ) {
      try {
        return await change(asked);
      } catch (error) {
        const gone = goneIn(error, asked);
        const left = asked.filter((finding) => !gone.includes(finding));
        if (gone.length === 0 || left.length === 0) throw error;
        if (!(await ask(gone, left))) return null;
        asked = left;
      }
    }
  };
  return {
    run,
    dialog: (
      <ConfirmDialog
        subject={question}
        onClose={() => answer(false)}
        title={({ gone }) =>
          `${plural(gone.length, "Finding")} of your selection ${gone.length === 1 ? "is" : "are"} gone`
        }
        says={() =>
          "Deleted, or merged into another Finding, since this list was loaded. Nothing has been changed yet."
        }
        action={question === null ? "Continue" : `Continue with ${plural(question.left.length, "Finding")}`}
        danger={false}
        running={AT_ONCE}
        onConfirm={() => answer(true)}
      >
        <List size="sm">
          {question?.gone.slice(0, TITLES_MAX).map(({ id, title }) => (
            <List.Item key={id}>
              <InlineCode text={title} />
            </List.Item>
          ))}
        </List>
        {question !== null && question.gone.length > TITLES_MAX ? (
          <Text size="sm">and {formatCount(question.gone.length - TITLES_MAX)} more</Text>
        ) : null}
      </ConfirmDialog>
    ),
  };
}
