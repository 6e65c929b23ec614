"use client";
import { Button, Menu } from "@mantine/core";
import { IconChevronDown } from "@tabler/icons-react";
import Link from "next/link";
import { useRouter } from "next/navigation";
import { useQueryStates } from "nuqs";
import { useState } from "react";
import { BackLink } from "@/app/_components/layout/back-link";
import { PageHeader } from "@/app/_components/layout/page-header";
import { formatCount } from "@/app/_lib/format";
import type { Checkpoint } from "@/server/services/models/checkpoints/schemas";
import { useMay } from "../../../_components/access/membership";
import { StartEvaluation } from "../../../_components/evaluations/start-evaluation";
import { DeployDialog } from "../../../_components/serving/deploy-dialog";
import { ExportDialog } from "../../../_components/serving/export-dialog";
import { CheckpointMarks } from "../../../_components/training/checkpoint-marks";
import { DeleteTraining } from "../../../_components/training/delete-training";
import { lineageHref, newTrainingHref, playgroundHref } from "../../../_components/training/hrefs";
import { isUsable } from "../../../_components/training/is-usable";
import { Certify } from "./certify";
import { viewParsers } from "./view";

type Props = { projectId: string; checkpoint: Checkpoint; listHref: string };

/** A checkpoint's name and marks, and what can be done with it. */
export function CheckpointHeader({ projectId, checkpoint, listHref }: Props) {
  const mayTrain = useMay("models:manage");
  const mayServe = useMay("project:models:manage");
  const [view, setView] = useQueryStates(viewParsers, { history: "replace" });
  const router = useRouter();
  const [comparing, setComparing] = useState(false);
  const [deleting, setDeleting] = useState(false);
  const ask = (question: typeof view.ask) => () => void setView({ ask: question });
  const close = ask(null);
  const { id, jobName, stepNumber } = checkpoint;
  const usable = isUsable(checkpoint);
  return (
    <>
      <PageHeader
        title={
          <span style={{ display: "flex", gap: 4, alignItems: "center", minWidth: 0 }}>
            <BackLink href={listHref} label="All checkpoints" />
            <span className="clip" dir="auto" title={jobName}>
              {jobName}, step {formatCount(stepNumber)}
            </span>
          </span>
        }
        aside={
          <>
            {mayServe && usable ? (
              <>
                <Button onClick={ask("deploy")}>Deploy…</Button>
                <Button variant="default" onClick={ask("export")}>
                  Export…
                </Button>
              </>
            ) : null}
            <Menu position="bottom-end">
              <Menu.Target>
                <Button variant="default" rightSection={<IconChevronDown size={14} aria-hidden />}>
                  More
                </Button>
              </Menu.Target>
              <Menu.Dropdown>
                {mayTrain && usable ? (
                  <>
                    <Menu.Item onClick={ask("certify")}>Compare formats…</Menu.Item>
                    <Menu.Item onClick={() => setComparing(true)}>Compare before and after…</Menu.Item>
                    <Menu.Item component={Link} href={playgroundHref(projectId, { b: `checkpoint:${id}` })}>
                      Try in playground
                    </Menu.Item>
                    <Menu.Item component={Link} href={newTrainingHref(projectId, { checkpoint: id })}>
                      Continue training…
                    </Menu.Item>
                  </>
                ) : null}
                <Menu.Item component={Link} href={lineageHref(projectId, id)}>
                  Show lineage
                </Menu.Item>
                {mayTrain ? (
                  <Menu.Item color="red" onClick={() => setDeleting(true)}>
                    Delete…
                  </Menu.Item>
                ) : null}
              </Menu.Dropdown>
            </Menu>
          </>
        }
      >
        <CheckpointMarks checkpoint={checkpoint} />
      </PageHeader>
      <DeployDialog
        projectId={projectId}
        start={mayServe && usable && view.ask === "deploy" ? { checkpointId: id } : null}
        onClose={close}
      />
      <ExportDialog
        projectId={projectId}
        start={mayServe && usable && view.ask === "export" ? { checkpointId: id } : null}
        onClose={close}
      />
      <StartEvaluation
        projectId={projectId}
        subject={comparing ? { checkpointId: id } : null}
        onClose={() => setComparing(false)}
      />
      <DeleteTraining
        projectId={projectId}
        subject={deleting ? { kind: "checkpoint", id, name: `${jobName}, step ${formatCount(stepNumber)}` } : null}
        onClose={() => setDeleting(false)}
        onDeleted={() => router.push(listHref)}
      />
      <Certify
        projectId={projectId}
        checkpoint={mayTrain && usable && view.ask === "certify" ? checkpoint : null}
        onStarted={(certificate) => void setView({ ask: null, certificate })}
        onClose={close}
      />
    </>
  );
}
