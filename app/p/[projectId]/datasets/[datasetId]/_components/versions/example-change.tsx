import { Paper, Text } from "@mantine/core";
import Link from "next/link";
import { Dot } from "@/app/_components/values/dot";
import type { RouterOutputs } from "@/app/_lib/trpc/client";
import { PayloadDiff } from "../../../_components/diff/word-diff";
import { exampleHref } from "../../../_components/view";
import { SPLITS } from "../../../_components/words";
import { previewOf } from "../examples/preview";
import classes from "./versions.module.css";

type VersionChange = RouterOutputs["datasetVersions"]["diff"]["changes"][number];
type Props = { projectId: string; datasetId: string; change: VersionChange };

const STATES = {
  added: { word: "Added", color: "var(--state-ok)" },
  changed: { word: "Changed", color: "var(--severity-medium)" },
  removed: { word: "Removed", color: "var(--severity-critical)" },
};

/** One Example that differs between two versions, with the changed words marked. */
export function ExampleChange({ projectId, datasetId, change: { change, exampleId, before, after } }: Props) {
  const shown = after ?? before;
  const { word, color } = STATES[change];
  return (
    <Paper p="sm" component="article" aria-label={`${word} Example`}>
      <div className={classes.head}>
        <Dot color={color}>{word}</Dot>
        <h3 className={`${classes.title} clip`} dir="auto">
          {shown ? previewOf(shown.payload).question : exampleId}
        </h3>
        {change === "removed" ? null : <Link href={exampleHref(projectId, datasetId, exampleId)}>Open</Link>}
      </div>
      {before && after ? (
        <>
          {before.split === after.split ? null : (
            <Text size="sm">
              Split: <del>{SPLITS[before.split]}</del> <ins>{SPLITS[after.split]}</ins>
            </Text>
          )}
          {before.tags.join("\n") === after.tags.join("\n") ? null : (
            <Text size="sm">
              Tags: <del>{before.tags.join(", ") || "none"}</del> <ins>{after.tags.join(", ") || "none"}</ins>
            </Text>
          )}
        </>
      ) : null}
      <PayloadDiff before={before?.payload ?? null} after={after?.payload ?? null} />
    </Paper>
  );
}
