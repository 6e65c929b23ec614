import { Title } from "@mantine/core";
import Link from "next/link";
import { PageBody } from "@/app/_components/layout/page-body";
import { ExploreSample } from "@/app/_components/projects/explore-sample";
import { Arrival } from "../../send-a-trace/_components/arrival";
import { Refused } from "../../send-a-trace/_components/refused";
import { Snippets } from "../../send-a-trace/_components/snippets/snippets-panel";
import { useProject, useRights } from "../access/membership";
import classes from "./home.module.css";
import { StepState } from "./loop";
import { type HomeData, nextOf, STEPS } from "./words";

type Props = { projectId: string; endpoint: string; home: HomeData };

/** The steps themselves, for a project without a conversation: the first is done here. */
export function EmptyHome({ projectId, endpoint, home }: Props) {
  const { sample } = useProject();
  const mayExplore = useRights().includes("projects:create") && sample === null;
  return (
    <PageBody>
      <ol className={classes.empty}>
        {home.steps.map((step, n) => {
          const { title, what } = STEPS[step.name];
          const { words, href } = nextOf(projectId, step);
          return (
            <li key={step.name}>
              <Title order={2} className={classes.emptyTitle}>
                {n + 1}. {title}
              </Title>
              <p className={classes.quiet}>{what}</p>
              {step.name === "send" ? (
                <>
                  <Arrival projectId={projectId} />
                  <Refused projectId={projectId} />
                  {mayExplore ? <ExploreSample /> : null}
                  <Snippets projectId={projectId} endpoint={endpoint} />
                </>
              ) : (
                <p className={classes.next}>
                  <StepState step={step} /> <Link href={href}>{words}</Link>
                </p>
              )}
            </li>
          );
        })}
      </ol>
    </PageBody>
  );
}
