import { Button } from "@mantine/core";
import type { BackgroundJobSummary } from "@/server/services/background-jobs/schemas";
import { STATE } from "./job-state";
import classes from "./jobs.module.css";
import { countOf, countWords, STATES, type View } from "./view";

type Props = {
  value: View["state"];
  onChange: (state: View["state"]) => void;
  summary: BackgroundJobSummary | undefined;
};

/** Every state with its number of jobs; a click filters by it. On a phone the row scrolls sideways. */
export function StateFilter({ value, onChange, summary }: Props) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would be announced as part of a form
    <div className={classes.states} role="group" aria-label="State">
      {[null, ...STATES].map((state) => {
        const known = summary && countOf(summary, state);
        return (
          <Button
            key={state ?? "all"}
            className={classes.state}
            variant={value === state ? "light" : "subtle"}
            color={value === state ? "indigo" : "gray"}
            c="var(--mantine-color-text)"
            size="compact-sm"
            title={state === null ? "Any state" : STATE[state].says}
            aria-pressed={value === state}
            onClick={() => onChange(state)}
          >
            {state === null ? "All" : STATE[state].word}
            {known ? (
              <span className={classes.count} data-alarm={(state === "failed" && known.count > 0) || undefined}>
                {countWords(known)}
              </span>
            ) : null}
          </Button>
        );
      })}
    </div>
  );
}
