"use client";
import { Stack, Switch, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Refused } from "@/app/_components/feedback/refused";
import { WhenRead } from "@/app/_components/feedback/when-read";
import { useTRPC } from "@/app/_lib/trpc/client";

/** Whether credentials are masked in messages too. The switch updates optimistically and reverts on failure. */
export function Masking({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const query = useQuery(trpc.masking.get.queryOptions({ projectId }));
  const update = useMutation(
    trpc.masking.update.mutationOptions({
      onSuccess: (reply) => queries.setQueryData(trpc.masking.get.queryKey({ projectId }), reply),
    }),
  );
  return (
    <WhenRead query={query} loading="Loading masking" height={72}>
      {({ masking }) => (
        <Stack gap="sm">
          <Text size="sm">
            Keys, passwords and tokens are masked before telemetry is stored: by their format, by their field name, and
            in every header that is not known to be harmless.
          </Text>
          <Switch
            checked={update.isPending ? update.variables.messages : masking.messages}
            onChange={(event) => update.mutate({ projectId, messages: event.currentTarget.checked })}
            label="Mask credentials in messages too"
            description="In prompts, answers, tool arguments and tool results. Applies to new telemetry; stored data stays as it is."
          />
          <Refused error={update.error} />
        </Stack>
      )}
    </WhenRead>
  );
}
