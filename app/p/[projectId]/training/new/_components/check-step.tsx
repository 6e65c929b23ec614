"use client";
import { Button, Loader, Progress, Text } from "@mantine/core";
import { IconRefresh } from "@tabler/icons-react";
import Link from "next/link";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { Refused } from "@/app/_components/feedback/refused";
import { Dot } from "@/app/_components/values/dot";
import { formatBytes, formatCount, formatPercent, plural, UNKNOWN } from "@/app/_lib/format";
import type { TrainingValidation } from "@/server/services/training/jobs/schemas";
import { approximateDuration } from "../../../_components/training/job-status";
import { exampleHref } from "../../../datasets/_components/view";
import classes from "./new-training.module.css";
import { Rendered } from "./rendered";
import type { StepProps } from "./step-props";
import { TokenBars } from "./token-bars";
import { useValidation } from "./use-start";

/** What the training would do, before it starts: what prevents it, what it learns, and the resources it needs. */
export function CheckStep({ projectId, draft, startError }: StepProps & { startError: unknown }) {
  const query = useValidation(projectId, draft);
  if (query.error && !query.isFetching) {
    return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  }
  if (!query.data || query.isFetching) {
    return (
      <div className={classes.content} role="status" aria-label="Checking">
        <Text size="sm">
          <Loader size="xs" mr="xs" style={{ verticalAlign: "middle" }} />
          Reading every Example with the model’s own tokenizer. This takes a few seconds, or a minute for a large
          Dataset.
        </Text>
      </div>
    );
  }
  const { validation } = query.data;
  return (
    <div className={`${classes.content} ${classes.wide}`}>
      <div style={{ display: "flex", flexWrap: "wrap", gap: 12, alignItems: "center" }}>
        <Text fw={600}>
          {validation.ok ? (
            <Dot color="var(--state-ok)">Ready to start</Dot>
          ) : (
            <Dot color="var(--severity-critical)">It cannot start yet</Dot>
          )}
        </Text>
        <Button
          variant="default"
          leftSection={<IconRefresh size={14} aria-hidden />}
          onClick={() => void query.refetch()}
        >
          Check again
        </Button>
      </div>
      <Refused error={startError} />
      <Problems validation={validation} />
      <Tiles validation={validation} />
      <Examples projectId={projectId} datasetId={draft.dataset ?? ""} validation={validation} />
    </div>
  );
}

/** What prevents the training, and what to be aware of. */
function Problems({ validation: { errors, warnings, template } }: { validation: TrainingValidation }) {
  const said = [
    ...errors.map((problem) => ({ ...problem, color: "var(--severity-critical)", word: "Error" })),
    ...warnings.map((problem) => ({ ...problem, color: "var(--severity-medium)", word: "Warning" })),
    ...(template.stopTokenTrained === false
      ? [
          {
            code: "stop_token_not_trained",
            message: "The token that ends an answer is not trained on: the model would not learn to stop.",
            hint: null,
            color: "var(--severity-medium)",
            word: "Warning",
          },
        ]
      : []),
  ];
  const once = said.filter(
    ({ code, message }, index) => said.findIndex((other) => other.code === code && other.message === message) === index,
  );
  if (once.length === 0) return null;
  return (
    <ul className={classes.problems} aria-label="Errors and warnings">
      {once.map(({ code, message, hint, color, word }) => (
        <li key={`${code} ${message}`}>
          <Dot color={color}>
            <span>
              <strong>{word}:</strong> {message}
            </span>
          </Dot>
          {hint === null ? null : <small>{hint}</small>}
        </li>
      ))}
    </ul>
  );
}

const FITS = {
  yes: { word: "Fits", color: "var(--state-ok)" },
  tight: { word: "Tight", color: "var(--severity-medium)" },
  no: { word: "Does not fit", color: "var(--severity-critical)" },
  unknown: { word: "Unknown", color: "var(--severity-info)" },
} as const;

function Tiles({ validation }: { validation: TrainingValidation }) {
  const { rows, tokens, memory, stepsTotal, etaSeconds, diskNeededBytes, trainRows, validationRows, datasetVersion } =
    validation;
  const fits = FITS[memory.fits];
  return (
    <dl className={classes.tiles} aria-label="What it needs">
      <div>
        <dt>Examples</dt>
        <dd>
          {formatCount(rows.usable)}
          <small>
            {rows.usable === rows.total ? "all are used" : `of ${formatCount(rows.total)}`},{" "}
            {formatCount(validationRows)} more for evaluation
          </small>
        </dd>
      </div>
      <div>
        <dt>Trained tokens</dt>
        <dd>
          {formatCount(tokens.trained)}
          <small>
            {tokens.total === 0 ? "" : formatPercent(tokens.trained / tokens.total)} of {formatCount(tokens.total)}
          </small>
        </dd>
      </div>
      <div>
        <dt>Steps</dt>
        <dd>
          {formatCount(stepsTotal)}
          <small>
            version {formatCount(datasetVersion)}, {plural(trainRows, "Example")}
          </small>
        </dd>
      </div>
      <div>
        <dt>Time</dt>
        <dd>
          {etaSeconds === null ? UNKNOWN : approximateDuration(etaSeconds.low)}
          {etaSeconds === null ? null : <small>up to {approximateDuration(etaSeconds.high)}</small>}
        </dd>
      </div>
      <div>
        <dt>Memory</dt>
        <dd>
          {formatBytes(memory.estimateBytes)}
          <small>
            <Dot color={fits.color}>
              {fits.word}
              {memory.device === null ? "" : ` on ${memory.device}`}
            </Dot>
          </small>
          <MemoryBar memory={memory} />
        </dd>
      </div>
      <div>
        <dt>Disk</dt>
        <dd>{formatBytes(diskNeededBytes)}</dd>
      </div>
    </dl>
  );
}

const PART_COLORS = ["indigo.6", "teal.6", "orange.6", "pink.6", "gray.6"];

/** The parts of the estimate; the text below has the same numbers. */
function MemoryBar({ memory: { breakdown, estimateBytes } }: Pick<TrainingValidation, "memory">) {
  const parts = Object.entries(breakdown).filter(([, bytes]) => bytes > 0);
  const total = Math.max(
    estimateBytes ?? 0,
    parts.reduce((sum, [, bytes]) => sum + bytes, 0),
  );
  if (parts.length === 0 || total === 0) return null;
  return (
    <>
      <Progress.Root size="sm" mt={6} aria-hidden>
        {parts.map(([name, bytes], index) => (
          <Progress.Section
            key={name}
            value={(100 * bytes) / total}
            color={PART_COLORS[index % PART_COLORS.length] ?? "gray"}
          />
        ))}
      </Progress.Root>
      <small>{parts.map(([name, bytes]) => `${name.replaceAll("_", " ")} ${formatBytes(bytes)}`).join(", ")}</small>
    </>
  );
}

type ExamplesProps = { projectId: string; datasetId: string; validation: TrainingValidation };

/** The exact strings, the lengths, and what is left out. */
function Examples({ projectId, datasetId, validation }: ExamplesProps) {
  const { tokens, truncation, dropped, rows, renderedExamples } = validation;
  const counts = [
    ...(rows.tooLong > 0
      ? [`${plural(rows.tooLong, "Example")} longer than ${formatCount(truncation.maxLength)} tokens`]
      : []),
    ...(rows.emptyAnswer > 0 ? [`${plural(rows.emptyAnswer, "empty answer")}`] : []),
    ...(rows.identicalPair > 0 ? [`${plural(rows.identicalPair, "pair")} with identical answers`] : []),
    ...(rows.duplicate > 0 ? [`${plural(rows.duplicate, "duplicate")}`] : []),
    ...(truncation.rows > 0
      ? [`${plural(truncation.rows, "Example")} cut, ${formatCount(truncation.tokensLost)} tokens lost`]
      : []),
    ...Object.entries(rows.labelCounts ?? {}).map(([label, count]) => `${formatCount(count)} ${label}`),
  ];
  return (
    <>
      <section aria-label="What it reads and learns">
        <h2 className={classes.heading}>What the model reads and learns</h2>
        <Text size="sm" c="dimmed" mb="xs">
          The exact text that the model sees. It is trained on what is highlighted; the rest is context.
        </Text>
        <Rendered projectId={projectId} datasetId={datasetId} samples={renderedExamples} />
      </section>
      <section aria-label="Lengths">
        <h2 className={classes.heading}>Lengths</h2>
        <TokenBars tokens={tokens} maxLength={truncation.maxLength} />
      </section>
      <section aria-label="Excluded Examples">
        <h2 className={classes.heading}>Excluded Examples</h2>
        {counts.length === 0 ? null : <Text size="sm">{counts.join(" · ")}</Text>}
        {dropped.length === 0 ? (
          <Text size="sm" c="dimmed">
            None: every Example is trained on.
          </Text>
        ) : (
          <ul className={classes.problems} style={{ marginBlockStart: 8, maxBlockSize: "14rem", overflowY: "auto" }}>
            {dropped.map(({ exampleId, code, message }) => (
              <li key={`${exampleId} ${code}`}>
                <Link href={exampleHref(projectId, datasetId, exampleId)} className="mono">
                  {exampleId}
                </Link>{" "}
                {message}
              </li>
            ))}
          </ul>
        )}
      </section>
    </>
  );
}
