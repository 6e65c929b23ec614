"use client";
import { Stack, Switch, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Refused } from "@/app/_components/feedback/refused";
import { WhenRead } from "@/app/_components/feedback/when-read";
import { useNow } from "@/app/_components/values/now";
import { useTRPC } from "@/app/_lib/trpc/client";
import { useMay } from "../../_components/access/membership";
import { useAutomaticDiagnosis } from "../../_components/diagnosis/use-automatic-diagnosis";
import { coverageOf, inactiveFor } from "../../findings/_components/coverage-note";

const descriptionOf = (inactive: string) =>
  `Each enabled Rule checks a conversation once it has been ${inactive}, without a language model and at no cost. When off, Rules run only on request.`;

/** Whether Rules run automatically. The switch updates optimistically and reverts on failure. */
export function AutomaticDiagnosis({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const now = useNow();
  const may = useMay("diagnostics:write");
  const settings = useQuery(trpc.diagnosticSettings.get.queryOptions({ projectId }));
  const status = useQuery(trpc.diagnostics.status.queryOptions({ projectId }, { refetchInterval: 15_000 }));
  const update = useAutomaticDiagnosis();
  return (
    <WhenRead query={settings} loading="Loading settings" height={48}>
      {({ settings: { automaticSchedulingEnabled } }) => (
        <Stack gap="sm">
          <Switch
            checked={
              update.isPending ? (update.variables.automaticSchedulingEnabled ?? false) : automaticSchedulingEnabled
            }
            disabled={!may}
            onChange={(event) => update.mutate({ projectId, automaticSchedulingEnabled: event.currentTarget.checked })}
            label="Diagnose conversations automatically"
            description={`${descriptionOf(status.data ? inactiveFor(status.data.status) : "inactive for a while")}${may ? "" : " You can view this but not change it. Ask an owner for the editor role."}`}
          />
          <Refused error={update.error} />
          {status.data ? (
            <Text size="xs" c="dimmed">
              {coverageOf(status.data.status, now)}.
            </Text>
          ) : null}
        </Stack>
      )}
    </WhenRead>
  );
}
