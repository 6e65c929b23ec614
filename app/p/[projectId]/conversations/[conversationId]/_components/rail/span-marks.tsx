import { SpanLink } from "../spans/span-link";
import type { Mark } from "../transcript/marks";
import classes from "./rail.module.css";

const SHOWN = 5;

/** Links to spans whose evidence is in no message. */
export function SpanMarks({ marks, onSpan }: { marks: readonly Mark[]; onSpan: (spanId: string) => void }) {
  if (marks.length === 0) return null;
  return (
    <p className={classes.turns}>
      {marks.slice(0, SHOWN).map((mark) =>
        mark.spanId ? (
          <SpanLink key={mark.spanId} spanId={mark.spanId} onSpan={onSpan} title={mark.quote}>
            span {mark.spanId.slice(0, 8)}
          </SpanLink>
        ) : null,
      )}
    </p>
  );
}
