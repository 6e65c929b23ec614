import Link from "next/link";
import { Ago } from "@/app/_components/values/ago";
import { Dot } from "@/app/_components/values/dot";
import type { FindingFix } from "@/server/services/diagnostics/findings/schemas";
import { FixFigures } from "../../../_components/fixes/fix-figures";
import { fixHref } from "../../../_components/fixes/hrefs";
import { FIX_VERDICT, releaseWords } from "../../../_components/fixes/words";
import classes from "./finding-page.module.css";

/** Whether the Finding's rate in real traffic has fallen since its newest fix went out. */
export function SinceFix({ projectId, fix }: { projectId: string; fix: FindingFix }) {
  const { word, color } = FIX_VERDICT[fix.verdict];
  return (
    <section aria-label="Since the fix" className={classes.proof}>
      <div className={classes.proofLine}>
        <Dot color={color}>{word}</Dot>
        <Link href={fixHref(projectId, fix.id)} dir="auto">
          {releaseWords(fix)}
        </Link>
        <span className={classes.quiet}>
          <Ago at={fix.at} />
        </span>
      </div>
      <FixFigures measured={fix} />
    </section>
  );
}
