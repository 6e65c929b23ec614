"use client";
import { Button, Checkbox } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useState } from "react";
import { useUndo } from "@/app/_components/feedback/use-undo";
import { InlineCode } from "@/app/_components/values/inline-code";
import { formatCount, plural, quoted } from "@/app/_lib/format";
import { useTRPC } from "@/app/_lib/trpc/client";
import { useMay } from "../../../_components/access/membership";
import classes from "./finding-page.module.css";
import { SplitOff } from "./split-off";
import { tellProblem, useFindingChanges } from "./use-review";

/** The causes that a Finding groups, which can be split off, and the Findings merged into it, which can be unmerged. */
export function Causes({ projectId, findingId }: { projectId: string; findingId: string }) {
  const trpc = useTRPC();
  const may = useMay("diagnostics:write");
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const { splitOff, wayBack, busy } = useFindingChanges(projectId);
  const { offer } = useUndo();
  const { data } = useQuery(trpc.findings.causes.queryOptions({ projectId, findingId }));
  if (!data || (data.causeCount < 2 && data.merged.length === 0)) return null;
  const causes = chosen.filter((id) => data.causes.some((cause) => cause.id === id));
  const onSplit = () =>
    splitOff(findingId, { causes }).then(({ finding, undo }) => {
      setChosen([]);
      offer(
        <SplitOff projectId={projectId} finding={finding} count={causes.length} what="cause" />,
        () => void undo().catch(tellProblem),
      );
    }, tellProblem);
  return (
    <section>
      <h2 className={classes.heading}>Grouped here ({plural(data.causeCount, "cause")})</h2>
      <ul className={classes.plainList}>
        {data.causes.map((cause) => (
          <li key={cause.id} className={classes.plainItem}>
            {may && data.causeCount > 1 ? (
              <Checkbox
                size="xs"
                aria-label={`Choose ${cause.cause ?? "a cause without conversations"}`}
                checked={causes.includes(cause.id)}
                onChange={(event) =>
                  setChosen(
                    event.currentTarget.checked ? [...causes, cause.id] : causes.filter((id) => id !== cause.id),
                  )
                }
              />
            ) : null}
            <span className={`mono ${classes.plainText}`} title={cause.cause ?? ""}>
              {cause.cause ?? "its conversations were deleted"}
            </span>
            <span className={classes.quiet}>{formatCount(cause.occurrenceCount)}</span>
          </li>
        ))}
      </ul>
      {may && data.causeCount > 1 ? (
        <Button
          variant="default"
          size="xs"
          mt={8}
          disabled={busy || causes.length === 0 || causes.length === data.causeCount}
          onClick={() => void onSplit()}
        >
          Split off {causes.length === 0 ? "the chosen causes" : plural(causes.length, "cause")}
        </Button>
      ) : null}
      {data.merged.map(({ id, title, changeId }) => (
        <p key={id} className={classes.quiet} style={{ marginBlockStart: 8 }}>
          Merged in: <InlineCode text={quoted(title)} />
          {may && changeId ? (
            <Button
              variant="subtle"
              size="compact-xs"
              disabled={busy}
              onClick={() => void wayBack(changeId)().catch(tellProblem)}
            >
              Undo the merge
            </Button>
          ) : null}
        </p>
      ))}
    </section>
  );
}

/** Links to the Finding that now has the occurrences of a merged one. */
export const MergedAway = ({ projectId, into }: { projectId: string; into: string }) => (
  <p className={classes.quiet} style={{ padding: "0.5rem 1rem" }}>
    This Finding was merged into{" "}
    <Link href={`/p/${projectId}/findings/${encodeURIComponent(into)}`}>
      another one, which now has its conversations
    </Link>
    .
  </p>
);
