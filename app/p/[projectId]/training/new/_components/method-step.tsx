"use client";
import { Alert, Radio } from "@mantine/core";
import Link from "next/link";
import { pageHref } from "../../../_components/shell/pages";
import { ADAPTERS, METHODS } from "../../../_components/training/words";
import { ableTrainers, type Missing, missingFor } from "./abilities";
import type { Draft } from "./draft";
import classes from "./new-training.module.css";
import { Option } from "./option";
import type { StepProps } from "./step-props";

/** Chooses method and adapter. Options that no trainer supports are disabled, with each trainer's reason and what to do. */
export function MethodStep({ projectId, draft, setDraft, trainers }: StepProps) {
  const able = ableTrainers(trainers, draft);
  const possible =
    missingFor(trainers, "methods", draft.method).length === 0 &&
    missingFor(trainers, "adapters", draft.adapter).length === 0;
  return (
    <div className={classes.content}>
      <Radio.Group
        label="Method"
        value={draft.method}
        onChange={(value) => setDraft({ method: value as Draft["method"] })}
      >
        <div className={classes.options} style={{ marginBlockStart: 8 }}>
          {(Object.keys(METHODS) as Draft["method"][]).map((value) => {
            const missing = missingFor(trainers, "methods", value);
            return (
              <Option
                key={value}
                value={value}
                chosen={value === draft.method}
                disabled={missing.length > 0}
                title={
                  <>
                    {METHODS[value].name} ({METHODS[value].label})
                  </>
                }
                description={<Description description={METHODS[value].description} missing={missing} />}
              />
            );
          })}
        </div>
      </Radio.Group>
      <Radio.Group
        label="Weights to train"
        value={draft.adapter}
        onChange={(value) => setDraft({ adapter: value as Draft["adapter"] })}
      >
        <div className={classes.options} style={{ marginBlockStart: 8 }}>
          {(Object.keys(ADAPTERS) as Draft["adapter"][]).map((value) => {
            const missing = missingFor(trainers, "adapters", value);
            return (
              <Option
                key={value}
                value={value}
                chosen={value === draft.adapter}
                disabled={missing.length > 0}
                title={ADAPTERS[value].name}
                description={<Description description={ADAPTERS[value].description} missing={missing} />}
              />
            );
          })}
        </div>
      </Radio.Group>
      {possible && able.length === 0 && trainers.length > 0 ? (
        <Alert color="yellow" p="xs">
          None of the trainers supports this combination. Choose another one, or see{" "}
          <Link href={pageHref(projectId, "trainers")}>Trainers</Link>.
        </Alert>
      ) : able.length > 0 && !able.some(({ online }) => online) ? (
        <Alert color="yellow" p="xs">
          {able.length === 1
            ? `“${able[0]?.name}” is unreachable. The training waits until it is back.`
            : "The trainers that support this are unreachable. The training waits until one is back."}
        </Alert>
      ) : null}
    </div>
  );
}

const Description = ({ description, missing }: { description: string; missing: readonly Missing[] }) => (
  <>
    {description}
    {missing.map(({ trainer, reason, hint }) => (
      <span key={trainer} style={{ display: "block", color: "var(--mantine-color-text)" }}>
        Not on “{trainer}”: {reason} {hint}
      </span>
    ))}
  </>
);
