import Link from "next/link";
import { PageSection } from "@/app/_components/layout/page-body";
import { Ago } from "@/app/_components/values/ago";
import { InlineCode } from "@/app/_components/values/inline-code";
import { capitalized } from "@/app/_lib/format";
import { versionsHref } from "../../versions/_components/view";
import { pageHref } from "../shell/pages";
import classes from "./home.module.css";
import { Lines } from "./lines";
import { changesIn, eventWords, type HomeData } from "./words";

/** What happened to Findings since the reader was here. */
export function Changed({ projectId, home }: { projectId: string; home: HomeData }) {
  const { since, findings } = home;
  return (
    <PageSection title={since.isLastVisit ? "Since your last visit" : "In the last 24 hours"}>
      {since.isLastVisit ? (
        <p className={classes.quiet}>
          You were here <Ago at={since.at} />.
        </p>
      ) : null}
      {findings.changed.length === 0 ? (
        <p className={classes.quiet}>No Finding is new or got worse.</p>
      ) : (
        <>
          <Lines items={changesIn(projectId, home)} label="Changes" />
          <ul className={classes.plain}>
            {findings.changed.map(({ id, title, event, at }) => (
              <li key={id}>
                <Link href={`${pageHref(projectId, "findings")}/${encodeURIComponent(id)}`}>
                  <InlineCode text={title} />
                </Link>{" "}
                <span className={classes.quiet}>
                  {capitalized(eventWords(event))}, <Ago at={at} />
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
      <p className={classes.quiet}>
        Did the newest version help? <Link href={versionsHref(projectId)}>Compare it with the one before</Link>
      </p>
    </PageSection>
  );
}
