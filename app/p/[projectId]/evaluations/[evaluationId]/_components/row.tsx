import Link from "next/link";
import { Dot } from "@/app/_components/values/dot";
import { formatCount, plural } from "@/app/_lib/format";
import type { AnswerRight, Evaluation, EvaluationRow } from "@/server/services/proof/evaluations/schemas";
import { judgementWords } from "../../../_components/evaluations/judge-words";
import { OUTCOME, reasonWords, rightWords } from "../../../_components/evaluations/words";
import { WordDiff } from "../../../datasets/_components/diff/word-diff";
import { exampleHref } from "../../../datasets/_components/view";
import classes from "./evaluation-page.module.css";
import { Overrule } from "./overrule";

type Props = { projectId: string; evaluationId: string; kind: Evaluation["kind"]; row: EvaluationRow };

const ROLES = { system: "System", user: "User", assistant: "Assistant", tool: "Tool" } as const;

/** A prompt with the answers of both models; differences from the expected answer are marked. */
export function Row({ projectId, evaluationId, kind, row }: Props) {
  const { prompt, expected, before, after, outcome, isFoundBefore, isFoundAfter, reference, rightness, judgements } =
    row;
  const lastQuestion = prompt.findLast(({ role }) => role === "user");
  const earlier = prompt.filter((message) => message !== lastQuestion);
  const isReplay = kind === "finding";
  return (
    <li className={classes.row} tabIndex={-1}>
      <div className={classes.rowHead}>
        {outcome === null ? (
          <Dot color="var(--severity-info)" hollow>
            {row.reason === null ? "Not answered yet" : "No answer"}
          </Dot>
        ) : (
          <Dot color={OUTCOME[outcome].color}>{OUTCOME[outcome].word}</Dot>
        )}
        <span className={classes.dim}>{reasonWords(row)}</span>
        <Origin projectId={projectId} row={row} />
      </div>
      <p className={classes.asked} dir="auto">
        {lastQuestion?.content ?? ""}
      </p>
      {earlier.length === 0 ? null : (
        <details className={classes.earlier}>
          <summary>{plural(earlier.length, "other message")}</summary>
          <ul>
            {earlier.map(({ role, content }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a stored prompt does not change
              <li key={index}>
                <span className={classes.dim}>{ROLES[role]}</span>
                <span dir="auto">{content === "" ? "An empty message" : content}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
      <div className={classes.answers}>
        <Answer title={isReplay ? "Recorded answer" : "Expected answer"} text={expected} />
        {isReplay && reference !== null ? <Answer title="Right answer" text={reference} /> : null}
        <Answer
          title="Before"
          answer={before}
          against={isReplay ? null : expected}
          isFound={isFoundBefore}
          right={rightness?.before ?? null}
        />
        <Answer
          title="After"
          answer={after}
          against={isReplay ? null : expected}
          isFound={isFoundAfter}
          right={rightness?.after ?? null}
        />
      </div>
      {judgements.length === 0 ? null : (
        <details className={classes.earlier}>
          <summary>What the judge said</summary>
          <ul>
            {judgements.map((one) => {
              const { question, said } = judgementWords(one);
              return (
                <li key={one.question}>
                  <span className={classes.dim}>{question}</span>
                  <span dir="auto" title={one.reply ?? undefined}>
                    {said}
                  </span>
                </li>
              );
            })}
          </ul>
        </details>
      )}
      {after === null ? null : <Overrule projectId={projectId} evaluationId={evaluationId} row={row} />}
    </li>
  );
}

/** Where the prompt is from. */
function Origin({ projectId, row: { datasetId, exampleId, conversationId, n } }: Pick<Props, "projectId" | "row">) {
  const number = formatCount(n + 1);
  if (datasetId !== null && exampleId !== null) {
    return (
      <Link href={exampleHref(projectId, datasetId, exampleId)} aria-label={`Example of row ${number}`}>
        Example
      </Link>
    );
  }
  if (conversationId === null) return null;
  const href = `/p/${encodeURIComponent(projectId)}/conversations/${encodeURIComponent(conversationId)}`;
  return (
    <Link href={href} aria-label={`Conversation of row ${number}`}>
      Conversation
    </Link>
  );
}

type AnswerProps = {
  title: string;
  text?: string | null;
  answer?: EvaluationRow["before"];
  /** The text that differences are marked against. */
  against?: string | null;
  isFound?: boolean | null;
  right?: AnswerRight | null;
};

function Answer({ title, text, answer, against = null, isFound = null, right = null }: AnswerProps) {
  const said = answer === undefined ? (text ?? null) : (answer?.content ?? null);
  return (
    <fieldset className={classes.answer} aria-label={title}>
      <h3 className={classes.answerTitle}>
        {title}
        {answer?.finishReason === "length" ? <span className={classes.dim}> cut off</span> : null}
        {isFound === null ? null : (
          <Dot color={isFound ? "var(--severity-high)" : "var(--state-ok)"}>{isFound ? "Found" : "Not found"}</Dot>
        )}
        {right === null ? null : (
          <Dot
            color={right.right === true ? "var(--state-ok)" : "var(--severity-medium)"}
            hollow={right.right === null}
          >
            {rightWords(right)}
          </Dot>
        )}
      </h3>
      {said === null ? (
        <p className={classes.none}>—</p>
      ) : said === "" ? (
        <p className={classes.none}>An empty answer</p>
      ) : against === null || against === said ? (
        <div className={classes.text} dir="auto">
          {said}
        </div>
      ) : (
        <WordDiff before={against} after={said} />
      )}
    </fieldset>
  );
}
