import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { useTRPC } from "@/app/_lib/trpc/client";
import { copyOf, type Draft, type SetDraft } from "./draft";

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

/** Fills the draft once from the job or the configuration to copy, named in the URL. */
export function useCopied(projectId: string, draft: Draft, setDraft: SetDraft) {
  const trpc = useTRPC();
  const job = useQuery(
    trpc.trainingJobs.get.queryOptions({ projectId, jobId: draft.clone ?? "" }, { enabled: draft.clone !== null }),
  );
  const config = useQuery(
    trpc.tuningConfigs.get.queryOptions(
      { projectId, configId: draft.config ?? "" },
      { enabled: draft.config !== null },
    ),
  );
  const copied = job.data?.job;
  const configured = config.data?.tuningConfig;
  // biome-ignore lint/correctness/useExhaustiveDependencies: copies what arrived, once
  useEffect(() => {
    if (draft.clone !== null && copied) {
      const { baseModel, spec, id, name } = copied;
      const asked = isRecord(spec.baseModel) ? spec.baseModel : {};
      setDraft({
        ...copyOf(
          { ...copied, name: `${name}, again` },
          baseModel.checkpointId !== null
            ? { checkpointId: baseModel.checkpointId }
            : {
                id: baseModel.id,
                source: asked.source === "local" ? "local" : "hub",
                revision: baseModel.revision,
              },
        ),
        from: id,
      });
    } else if (draft.config !== null && configured) {
      const { baseModel } = configured;
      setDraft(
        copyOf(
          { ...configured, spec: configured },
          "checkpointId" in baseModel
            ? baseModel
            : { id: baseModel.id, source: baseModel.source ?? "hub", revision: baseModel.revision ?? null },
        ),
      );
    }
  }, [draft.clone, draft.config, copied, configured]);
  const asked = draft.clone !== null ? job : config;
  const isCopying = draft.clone !== null || draft.config !== null;
  return { isCopying, error: isCopying ? asked.error : null, retry: () => void asked.refetch() };
}
