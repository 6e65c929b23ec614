import type { Mark } from "../transcript/marks";
import classes from "./rail.module.css";

const SHOWN = 5;

/** Links to spans whose evidence is in no message. */
export function SpanMarks({ marks }: { marks: readonly Mark[] }) {
  if (marks.length === 0) return null;
  return (
    <p className={classes.turns}>
      {marks.slice(0, SHOWN).map((mark) =>
        mark.spanId ? (
          <a key={mark.spanId} href={`?tab=spans&span=${mark.spanId}`} title={mark.quote}>
            span {mark.spanId.slice(0, 8)}
          </a>
        ) : null,
      )}
    </p>
  );
}
