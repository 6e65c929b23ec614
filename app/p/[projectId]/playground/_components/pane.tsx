"use client";
import { Button, Loader, Text } from "@mantine/core";
import Link from "next/link";
import { CopyButton } from "@/app/_components/controls/copy-button";
import { Dot } from "@/app/_components/values/dot";
import { formatCount, formatDuration } from "@/app/_lib/format";
import { useMay } from "../../_components/access/membership";
import { DeploymentStatus } from "../../_components/serving/status";
import { isChanging } from "../../_components/serving/words";
import { deploymentHref } from "../../_components/training/hrefs";
import classes from "./playground.module.css";
import { TargetSelect } from "./target-select";
import type { Answer, usePane } from "./use-pane";
import type { Target } from "./view";

type Props = {
  projectId: string;
  name: string;
  target: Target | null;
  onTarget: (target: Target | null) => void;
  pane: ReturnType<typeof usePane>;
};

/** A model and its thread. */
export function Pane({ projectId, name, target, onTarget, pane }: Props) {
  return (
    <section className={classes.pane} aria-label={name}>
      <div className={classes.paneHead}>
        <TargetSelect
          projectId={projectId}
          label={`Model of the ${name.toLowerCase()}`}
          value={target}
          onChange={onTarget}
        />
      </div>
      <ServerLine projectId={projectId} target={target} pane={pane} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard */}
      <section className={classes.thread} tabIndex={0} aria-label={`Answers of the ${name.toLowerCase()}`}>
        {pane.answers.map((answer) => (
          <AnswerView key={answer.id} answer={answer} />
        ))}
      </section>
    </section>
  );
}

/** Whether the model's server is ready and, until it is, what it is doing. */
function ServerLine({ projectId, target, pane: { server } }: Pick<Props, "projectId" | "target" | "pane">) {
  const mayStart = useMay("project:models:manage");
  const { deployment } = server;
  if (target === null) return <p className={classes.server}>Choose a deployment, a checkpoint or a base model.</p>;
  if (deployment === undefined) {
    if (target.kind === "deployment") return <p className={classes.server}>{server.error ? "Not found." : "…"}</p>;
    return (
      <p className={classes.server}>
        {mayStart
          ? "Not loaded. A server starts when you send a message, and stops when it is no longer used."
          : "Not loaded. Managers can start a server for it; or choose a deployment."}
      </p>
    );
  }
  return (
    <div className={classes.server} role="status">
      {isChanging(deployment) ? <Loader size={12} aria-hidden /> : null}
      <DeploymentStatus deployment={deployment} />
      <span className="clip">
        {isChanging(deployment) ? (deployment.stageDetail ?? "Waiting for the trainer") : ""}
      </span>
      <span className={classes.serverActions}>
        {deployment.purpose === "service" ? (
          <Link href={deploymentHref(projectId, deployment.id)}>Open</Link>
        ) : mayStart && deployment.status !== "stopping" ? (
          <Button variant="subtle" size="compact-xs" onClick={() => void server.stop()}>
            Stop server
          </Button>
        ) : null}
      </span>
    </div>
  );
}

function AnswerView({ answer }: { answer: Answer }) {
  const { prompt, content, state, error } = answer;
  return (
    <article className={classes.answer} aria-busy={state === "waiting" || state === "streaming"}>
      {prompt === null ? null : (
        <p className={classes.prompt} dir="auto">
          {prompt}
        </p>
      )}
      {state === "waiting" ? (
        <Text size="sm" c="dimmed" role="status">
          <Loader size={12} aria-hidden mr={6} />
          Waiting for the first token
        </Text>
      ) : null}
      {content === "" ? null : (
        <p className={classes.content} dir="auto">
          {content}
        </p>
      )}
      {state === "done" && content === "" ? (
        <Text size="sm" c="dimmed">
          Empty answer
        </Text>
      ) : null}
      {error === null ? null : (
        <Text size="sm" c="var(--mantine-color-error)" role="alert" style={{ overflowWrap: "anywhere" }}>
          {error}
        </Text>
      )}
      <Figures answer={answer} />
    </article>
  );
}

function Figures({ answer: { state, tokens, tookMs, firstMs, content } }: { answer: Answer }) {
  if (state === "waiting" || state === "streaming") return null;
  const figures = [
    ...(tokens === null ? [] : [`${formatCount(tokens)} tokens`]),
    ...(tookMs === null ? [] : [formatDuration(tookMs)]),
    ...(firstMs === null ? [] : [`first after ${formatDuration(firstMs)}`]),
  ];
  return (
    <div className={classes.figures}>
      {state === "stopped" ? <Dot color="var(--severity-info)">Stopped</Dot> : null}
      <span className="tabular">{figures.join(" · ")}</span>
      {content === "" ? null : <CopyButton value={content} label="Copy answer" />}
    </div>
  );
}
