import { skipToken, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useTRPC, useTRPCClient } from "@/app/_lib/trpc/client";
import { jobHref } from "../../../_components/training/hrefs";
import { type Draft, requestOf } from "./draft";

/** Asks what a training of the draft would do, only once per draft: it takes the trainer seconds. */
export function useValidation(projectId: string, draft: Draft) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const request = requestOf(draft);
  return useQuery({
    queryKey: [...trpc.trainingJobs.validate.mutationKey(), projectId, request],
    queryFn: request === null ? skipToken : () => client.trainingJobs.validate.mutate({ projectId, ...request }),
    enabled: draft.step === "check",
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
}

/** Starts the training of a draft that has been checked, and opens it. */
export function useStart(projectId: string, draft: Draft) {
  const trpc = useTRPC();
  const router = useRouter();
  const queries = useQueryClient();
  const validation = useValidation(projectId, draft);
  const create = useMutation(
    trpc.trainingJobs.create.mutationOptions({
      onSuccess: ({ job }) => {
        void queries.invalidateQueries({ queryKey: trpc.trainingJobs.list.pathKey() });
        router.push(jobHref(projectId, job.id));
      },
    }),
  );
  const request = requestOf(draft);
  const name = draft.name.trim();
  return {
    error: create.error,
    isPending: create.isPending || create.isSuccess,
    ready: request !== null && validation.data?.validation.ok === true,
    start: () =>
      request &&
      create.mutate({
        projectId,
        ...request,
        ...(name === "" ? {} : { name }),
        ...(draft.from === null ? {} : { clonedFromId: draft.from }),
      }),
  };
}
