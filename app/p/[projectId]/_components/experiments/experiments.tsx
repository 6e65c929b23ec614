"use client";
import { Button, Group, NumberInput, Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import Link from "next/link";
import { useState } from "react";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { ExactTime } from "@/app/_components/values/exact-time";
import { plural } from "@/app/_lib/format";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { GatewayExperiment } from "@/server/services/gateway/experiments/schemas";
import { useMay } from "../access/membership";
import { ConfirmDialog } from "../confirm/confirm-dialog";
import { variantHref } from "../variants/hrefs";
import { comparisonHref, shareOf, variantWords } from "./words";

const SHOWN = 5;

type Props = {
  projectId: string;
  /** Only those of an alias, or of a variant. */
  of: { gatewayAliasId: string } | { variantId: string };
  /** Where there are none. */
  empty: React.ReactNode;
};

/** Experiments of an alias or a variant, newest first, each with what can be done with it. */
export function Experiments({ projectId, of, empty }: Props) {
  const trpc = useTRPC();
  const query = useQuery(trpc.gatewayExperiments.list.queryOptions({ projectId, ...of, limit: SHOWN }));
  const experiments = query.data?.experiments;
  if (query.error && !experiments)
    return <ErrorState error={query.error} onRetry={() => void query.refetch()} retrying={query.isFetching} />;
  if (experiments === undefined)
    return (
      <Text size="sm" c="dimmed" role="status">
        Looking for experiments…
      </Text>
    );
  if (experiments.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {empty}
      </Text>
    );
  return (
    <Stack gap="md">
      {experiments.map((one) => (
        <Experiment key={one.id} projectId={projectId} experiment={one} />
      ))}
    </Stack>
  );
}

function Experiment({ projectId, experiment }: { projectId: string; experiment: GatewayExperiment }) {
  const may = useMay("project:models:manage");
  const [changing, setChanging] = useState(false);
  const [ending, setEnding] = useState(false);
  const { name, share, variantId, startedAt, endedAt } = experiment;
  return (
    <Stack gap={6} component="article" aria-label={`Experiment ${name}`}>
      <Group gap="xs" justify="space-between" wrap="nowrap" align="baseline">
        <Text size="sm" fw={600} className="mono" style={{ overflowWrap: "anywhere" }}>
          {name}
        </Text>
        <Text size="sm" className="tabular" style={{ whiteSpace: "nowrap" }}>
          {endedAt === null ? `Running at ${share}%` : "Ended"}
        </Text>
      </Group>
      <Text size="sm" style={{ overflowWrap: "anywhere" }}>
        Tries <Link href={variantHref(projectId, variantId)}>{variantWords(experiment)}</Link> since{" "}
        <ExactTime at={startedAt} />
        {endedAt === null ? null : (
          <>
            {" "}
            until <ExactTime at={endedAt} />
          </>
        )}
      </Text>
      <Counts projectId={projectId} experimentId={experiment.id} />
      <Group gap="xs">
        <Button component={Link} href={comparisonHref(projectId, experiment)} variant="default" size="xs">
          Compare both arms
        </Button>
        {may && endedAt === null ? (
          <>
            <Button variant="default" size="xs" onClick={() => setChanging(true)}>
              Change share…
            </Button>
            <Button variant="default" size="xs" onClick={() => setEnding(true)}>
              End…
            </Button>
          </>
        ) : null}
      </Group>
      <ChangeShare projectId={projectId} subject={changing ? experiment : null} onClose={() => setChanging(false)} />
      <EndExperiment projectId={projectId} subject={ending ? experiment : null} onClose={() => setEnding(false)} />
    </Stack>
  );
}

function Counts({ projectId, experimentId }: { projectId: string; experimentId: string }) {
  const trpc = useTRPC();
  const { data, error, refetch, isFetching } = useQuery(
    trpc.gatewayExperiments.get.queryOptions({ projectId, gatewayExperimentId: experimentId }),
  );
  if (error && !data) return <ErrorState error={error} onRetry={() => void refetch()} retrying={isFetching} />;
  if (!data) return null;
  const { baseline, variant, notApplied } = data.experiment.counts;
  return (
    <Text size="sm" className="tabular">
      {plural(variant, "conversation")} with the variant, {plural(baseline, "conversation")} as before
      {notApplied === 0 ? null : (
        <Text span c="dimmed" display="block" size="xs">
          The variant did not fit a call of {plural(notApplied, "conversation")} with it, which was sent as it is.
        </Text>
      )}
    </Text>
  );
}

type DialogProps = { projectId: string; subject: GatewayExperiment | null; onClose: () => void };

/** Refreshes what shows experiments once one was changed. */
function useChanged(onClose: () => void) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  return (words: (experiment: GatewayExperiment) => string) => ({
    onSuccess: ({ experiment }: { experiment: GatewayExperiment }) => {
      notifications.show({ message: words(experiment) });
      onClose();
    },
    onSettled: async () => {
      await queries.invalidateQueries({ queryKey: trpc.gatewayExperiments.pathKey() });
      await queries.invalidateQueries({ queryKey: trpc.gatewayAliases.pathKey() });
    },
  });
}

function ChangeShare({ projectId, subject, onClose }: DialogProps) {
  const trpc = useTRPC();
  const changed = useChanged(onClose);
  const [typed, setTyped] = useState<number | string | null>(null);
  const update = useMutation(
    trpc.gatewayExperiments.update.mutationOptions(changed(({ name, share }) => `Changed ${name} to ${share}%`)),
  );
  const percent = shareOf(typed ?? subject?.share ?? "");
  return (
    <ConfirmDialog
      subject={subject}
      onClose={() => {
        setTyped(null);
        onClose();
      }}
      title={({ name }) => `Change the share of ${name}`}
      says={() => "Applies to conversations that begin from now on. Those that were assigned keep their arm."}
      action="Change share"
      danger={false}
      ready={percent !== null}
      running={update}
      onConfirm={({ id }) => percent !== null && update.mutate({ projectId, gatewayExperimentId: id, share: percent })}
    >
      <NumberInput
        label="Share of conversations"
        suffix="%"
        min={0}
        max={100}
        allowDecimal={false}
        allowNegative={false}
        value={typed ?? subject?.share ?? ""}
        onChange={setTyped}
        error={subject !== null && percent === null ? "Enter a whole number from 0 to 100." : null}
      />
    </ConfirmDialog>
  );
}

function EndExperiment({ projectId, subject, onClose }: DialogProps) {
  const trpc = useTRPC();
  const changed = useChanged(onClose);
  const end = useMutation(trpc.gatewayExperiments.end.mutationOptions(changed(({ name }) => `Ended ${name}`)));
  return (
    <ConfirmDialog
      subject={subject}
      onClose={onClose}
      title={({ name }) => `End ${name}?`}
      says={() =>
        "All calls are answered as before within five seconds, also those of conversations with the variant. Both arms can be compared as long as their conversations are stored. To go on, start another experiment."
      }
      action="End experiment"
      running={end}
      onConfirm={({ id }) => end.mutate({ projectId, gatewayExperimentId: id })}
    />
  );
}
