import Link from "next/link";
import { PageSection } from "@/app/_components/layout/page-body";
import { Dot } from "@/app/_components/values/dot";
import type { HomeStep } from "@/server/services/home/schemas";
import { pageHref } from "../shell/pages";
import classes from "./home.module.css";
import { nextOf, STEP_STATES, STEPS } from "./words";

const COLORS: Record<keyof typeof STEP_STATES, string> = {
  waiting: "var(--severity-medium)",
  running: "var(--severity-low)",
  missing: "var(--severity-info)",
  to_do: "var(--severity-info)",
  done: "var(--state-ok)",
};

/** The six steps, with where the project stands and what to do next in each. */
export function Loop({ projectId, steps }: { projectId: string; steps: readonly HomeStep[] }) {
  return (
    <PageSection title="The loop" wide>
      <ol className={classes.steps}>
        {steps.map((step) => {
          const { words, href } = nextOf(projectId, step);
          return (
            <li key={step.name}>
              <Link className={classes.stepTitle} href={pageHref(projectId, STEPS[step.name].path)}>
                {STEPS[step.name].title}
              </Link>
              <StepState step={step} />
              {step.state === "done" ? null : <Link href={href}>{words}</Link>}
            </li>
          );
        })}
      </ol>
    </PageSection>
  );
}

export const StepState = ({ step: { state } }: { step: HomeStep }) =>
  state === null ? null : (
    <Dot color={COLORS[state]} hollow={state === "to_do" || state === "missing"}>
      {STEP_STATES[state]}
    </Dot>
  );
