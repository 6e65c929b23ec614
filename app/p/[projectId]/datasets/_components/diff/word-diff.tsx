"use client";
import { UnstyledButton } from "@mantine/core";
import { diffWordsWithSpace } from "diff";
import { useMemo, useState } from "react";
import { formatCount } from "@/app/_lib/format";
import classes from "./diff.module.css";
import { changedParts, readableParts } from "./readable";

/** Long texts that differ a lot take too long to compare word by word; both are shown in full instead. */
const TIMEOUT_MS = 200;
const SHOWN = 4000;

/** Two texts merged into one, with removed and added words marked. */
export function WordDiff({ before, after }: { before: string; after: string }) {
  const parts = useMemo(
    () =>
      diffWordsWithSpace(before, after, { timeout: TIMEOUT_MS }) ?? [
        { value: before, removed: true, added: false },
        { value: after, removed: false, added: true },
      ],
    [before, after],
  );
  const [whole, setWhole] = useState(false);
  const length = before.length + after.length;
  let left = whole ? Number.POSITIVE_INFINITY : SHOWN;
  return (
    <>
      <div className={classes.text} dir="auto">
        {parts.map(({ value, added, removed }, index) => {
          const text = value.slice(0, Math.max(0, left));
          left -= value.length;
          if (text === "") return null;
          const Tag = added ? "ins" : removed ? "del" : "span";
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a comparison keep their order
          return <Tag key={index}>{text}</Tag>;
        })}
        {left < 0 ? "…" : null}
      </div>
      {length > SHOWN && (whole || left < 0) ? (
        <UnstyledButton className={classes.more} aria-expanded={whole} onClick={() => setWhole(!whole)}>
          {whole ? "Show less" : `Show all ${formatCount(length)} characters`}
        </UnstyledButton>
      ) : null}
    </>
  );
}

/** Two payloads, part by part: parts that differ with their changed words, the others as a count. */
export function PayloadDiff({ before, after }: { before: unknown; after: unknown }) {
  const { changed, unchanged } = useMemo(
    () => changedParts(readableParts(before), readableParts(after)),
    [before, after],
  );
  return (
    <div className={classes.parts}>
      {changed.map((part) => (
        <section key={part.label} aria-label={part.label}>
          <h4 className={classes.label}>{part.label}</h4>
          <WordDiff before={part.before} after={part.after} />
        </section>
      ))}
      <p className={classes.rest}>
        {changed.length === 0
          ? "The payload is the same."
          : unchanged === 0
            ? null
            : `${formatCount(unchanged)} other ${unchanged === 1 ? "part is" : "parts are"} the same.`}
      </p>
    </div>
  );
}
