import { Button, Checkbox, Group, Stack, Text, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useQueryStates } from "nuqs";
import { TimeRangePicker } from "@/app/_components/controls/time-range-picker";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { problemOf } from "@/app/_lib/problem";
import { useTRPC } from "@/app/_lib/trpc/client";
import { useMay } from "../../../_components/access/membership";
import { PreviewTable } from "./preview-table";
import { useRepricingPreview } from "./use-repricing-preview";
import { listInput, type View, viewParsers } from "./view";

type Props = { projectId: string; busy: boolean; states: string | undefined };

/** Chooses the calls to reprice, previews the changes, and starts the repricing. */
export function NewRepricing({ projectId, busy, states }: Props) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const may = useMay("model-pricing:write");
  const [view, setView] = useQueryStates(viewParsers, { history: "replace" });
  const { calls, preview } = useRepricingPreview({ projectId, view, busy, states });
  const create = useMutation(
    trpc.repricings.create.mutationOptions({
      onSuccess: () => {
        void queries.invalidateQueries({ queryKey: trpc.repricings.list.infiniteQueryKey(listInput(projectId)) });
        notifications.show({ message: "Repricing has started. It continues when you leave this page." });
      },
      onError: () => void preview.refetch(),
    }),
  );
  const found = preview.data?.preview;
  return (
    <Stack gap="md">
      <WhichCalls view={view} onChange={(next) => void setView(next)} />
      {busy ? (
        <Text size="sm" c="dimmed">
          One at a time: the preview is shown when the current one has finished.
        </Text>
      ) : preview.error ? (
        <ErrorState error={preview.error} onRetry={() => void preview.refetch()} retrying={preview.isFetching} />
      ) : found ? (
        <PreviewTable preview={found} />
      ) : (
        <Text size="sm" c="dimmed" role="status">
          Checking the calls…
        </Text>
      )}
      {create.error ? (
        <Text size="sm" c="var(--mantine-color-error)" role="alert">
          {problemOf(create.error).detail}
        </Text>
      ) : null}
      {may ? (
        <div>
          <Button
            disabled={busy || !found || (found.total.changed === 0 && found.complete) || preview.isFetching}
            loading={create.isPending}
            onClick={() => found && create.mutate({ ...calls, pricesVersion: found.pricesVersion })}
          >
            {found?.complete && found.total.changed > 0
              ? `Reprice ${found.total.changed.toLocaleString("en-US")} ${found.total.changed === 1 ? "call" : "calls"}`
              : "Reprice"}
          </Button>
        </div>
      ) : (
        <Text size="xs" c="dimmed">
          You can view this but not start it. Ask an owner for the editor role.
        </Text>
      )}
    </Stack>
  );
}

type WhichCallsProps = { view: View; onChange: (view: Partial<View>) => void };

const WhichCalls = ({ view, onChange }: WhichCallsProps) => (
  <Group gap="sm" align="flex-end">
    <TimeRangePicker
      what="Called"
      value={view}
      onChange={({ range, from, to }) => onChange({ range: range ?? "custom", from, to })}
    />
    <TextInput
      size="xs"
      w={240}
      aria-label="Model as the client names it"
      placeholder="Any model"
      spellCheck={false}
      value={view.model ?? ""}
      onChange={(event) => onChange({ model: event.currentTarget.value || null })}
    />
    <Checkbox
      size="xs"
      mb={6}
      label="Only calls without a known cost"
      checked={view.only}
      onChange={(event) => onChange({ only: event.currentTarget.checked })}
    />
  </Group>
);
