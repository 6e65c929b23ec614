"use client";
import { Badge, Button, Loader } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { useLoadSample } from "@/app/_components/projects/use-load-sample";
import { useTRPC } from "@/app/_lib/trpc/client";
import { useMay, useProject } from "../access/membership";
import { ConfirmDialog } from "../confirm/confirm-dialog";
import type { ShellProject } from "../shell/shell-data";
import classes from "./sample-bar.module.css";
import { SampleTour } from "./tour/sample-tour";

/** How often the page below is refetched while conversations arrive. */
const REFRESH_MS = 2_000;

const SAYS: Record<NonNullable<ShellProject["sample"]>, string> = {
  loading: "Conversations are being sent and diagnosed. This page updates automatically.",
  ready: "A fictional shop’s support agent. It isn’t counted in any totals, so change anything you like.",
  failed: "Loading failed.",
};

/** Shows on every page of the sample project that it is a sample, with a button to remove it. */
export function SampleBar() {
  const project = useProject();
  return project.sample === null ? null : <Bar project={project} sample={project.sample} />;
}

function Bar({ project, sample }: { project: ShellProject; sample: NonNullable<ShellProject["sample"]> }) {
  const trpc = useTRPC();
  const may = useMay("project:admin");
  const [removing, setRemoving] = useState<ShellProject | null>(null);
  const load = useLoadSample();
  const remove = useMutation(trpc.projects.delete.mutationOptions({ onSuccess: () => window.location.assign("/") }));
  useRefreshWhileLoading(sample);
  return (
    <aside className={classes.root} aria-label="Sample project">
      <Badge size="sm" variant="light" tt="none" flex="none">
        Sample
      </Badge>
      {sample === "loading" ? <Loader size={12} /> : null}
      <span className={classes.says} role={sample === "ready" ? undefined : "status"}>
        {SAYS[sample]}
      </span>
      {sample === "ready" ? <SampleTour projectId={project.id} /> : null}
      {sample === "failed" && may ? (
        <Button size="compact-xs" variant="default" loading={load.isPending} onClick={() => load.mutate({})}>
          Try again
        </Button>
      ) : null}
      {may ? (
        <Button size="compact-xs" variant="default" onClick={() => setRemoving(project)}>
          Remove sample project
        </Button>
      ) : null}
      <ConfirmDialog
        subject={removing}
        onClose={() => setRemoving(null)}
        title={({ name }) => `Remove ${name}?`}
        says={() =>
          "This permanently deletes its conversations, its Findings and everything you made from them. Your other projects aren’t affected. You can load the sample again at any time."
        }
        action="Remove sample project"
        running={{ ...remove, isPending: remove.isPending || remove.isSuccess }}
        onConfirm={({ id, name }) => remove.mutate({ projectId: id, name })}
      />
    </aside>
  );
}

/** Refetches the page while the sample is loading, and one last time when it is complete. */
function useRefreshWhileLoading(sample: ShellProject["sample"]) {
  const queries = useQueryClient();
  const before = useRef(sample);
  useEffect(() => {
    const refresh = () => void queries.invalidateQueries();
    if (before.current === "loading" && sample === "ready") refresh();
    before.current = sample;
    if (sample !== "loading") return;
    const timer = setInterval(refresh, REFRESH_MS);
    return () => clearInterval(timer);
  }, [sample, queries]);
}
