"use client";
import { Button } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconRefresh } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Refused } from "@/app/_components/feedback/refused";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { RuleRun } from "@/server/services/diagnostics/schemas";
import { useMay } from "../../_components/access/membership";
import { useRuleNames } from "../../_components/findings/rule-name";

/** Queues a failed or skipped Run again. */
export function RetryRun({ projectId, run }: { projectId: string; run: RuleRun }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const nameOf = useRuleNames();
  const may = useMay("diagnostics:write");
  const retry = useMutation(
    trpc.ruleRuns.retry.mutationOptions({
      onSuccess: () => {
        notifications.show({ message: `Queued “${nameOf(run.ruleId)}” again` });
        void queries.invalidateQueries({ queryKey: trpc.ruleRuns.pathKey() });
      },
    }),
  );
  if (!may || (run.status !== "failed" && run.status !== "skipped")) return null;
  return (
    <>
      <Button
        size="xs"
        variant="default"
        leftSection={<IconRefresh size={14} aria-hidden />}
        loading={retry.isPending}
        onClick={() => retry.mutate({ projectId, runId: run.id })}
        m="md"
      >
        Retry this Run
      </Button>
      <Refused error={retry.error} />
    </>
  );
}
