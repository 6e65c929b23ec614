import { diffWordsWithSpace } from "diff";
import { useMemo } from "react";
import { Masked } from "./masked";
import classes from "./review.module.css";

/** Long texts that differ a lot take too long to compare word by word; they are shown without marks then. */
const TIMEOUT_MS = 200;

type Props = {
  /** The conversation's own answer; `null` if that is the proposed answer. */
  current: string | null;
  proposed: string;
  /** Where the proposed answer comes from; shown only if there is no current answer next to it. */
  origin: string;
};

/** The current answer next to the proposed one, with differing words marked. */
export function Answers({ current, proposed, origin }: Props) {
  const parts = useMemo(
    () => (current === null ? undefined : diffWordsWithSpace(current, proposed, { timeout: TIMEOUT_MS })),
    [current, proposed],
  );
  if (current === null || current === proposed)
    return (
      <Answer title="Proposed answer" note={origin}>
        <Masked text={proposed} />
      </Answer>
    );
  const side = (tag: "del" | "ins", text: string) =>
    parts === undefined ? (
      <Masked text={text} />
    ) : (
      parts.map(({ value, added, removed }, index) => {
        if (tag === "del" ? added : removed) return null;
        const Tag = added || removed ? tag : "span";
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a comparison keep their order
          <Tag key={index}>
            <Masked text={value} />
          </Tag>
        );
      })
    );
  return (
    <div className={classes.answers}>
      <Answer title="Current answer">{side("del", current)}</Answer>
      <Answer title="Proposed answer">{side("ins", proposed)}</Answer>
    </div>
  );
}

const Answer = ({ title, note, children }: { title: string; note?: string; children: React.ReactNode }) => (
  <section className={classes.answer} aria-label={title}>
    <h3 className={classes.answerTitle}>
      {title}
      {note ? <span className={classes.quiet}> {note}</span> : null}
    </h3>
    <div className={classes.text} dir="auto">
      {children}
    </div>
  </section>
);
