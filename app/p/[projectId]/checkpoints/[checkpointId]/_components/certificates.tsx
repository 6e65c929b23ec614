"use client";
import { NativeSelect, Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useQueryStates } from "nuqs";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { formatMinute, plural } from "@/app/_lib/format";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { Certificate } from "@/server/services/proof/certificates/schemas";
import { CertificateView } from "../../../_components/serving/parity/certificate-view";
import { CERTIFICATE_STATUS, isComparing, PARITY } from "../../../_components/serving/words";
import { viewParsers } from "./view";

const LIVE_MS = 2000;
const IDLE_MS = 15_000;

const nameOf = ({ status, verdict, createdAt, forms, deploymentId }: Certificate) =>
  `${formatMinute(createdAt)}: ${(verdict === null ? CERTIFICATE_STATUS[status] : PARITY[verdict]).word}, ${plural(forms.length + (deploymentId === null ? 0 : 1), "form")}`;

/** The comparisons of a checkpoint's forms with itself: the newest, or the one that was chosen. */
export function Certificates({ projectId, checkpointId }: { projectId: string; checkpointId: string }) {
  const trpc = useTRPC();
  const [view, setView] = useQueryStates(viewParsers, { history: "replace" });
  const query = useQuery(
    trpc.certificates.list.queryOptions(
      { projectId, checkpointId, limit: 50 },
      { refetchInterval: ({ state }) => (state.data?.certificates.some(isComparing) ? LIVE_MS : IDLE_MS) },
    ),
  );
  const certificates = query.data?.certificates ?? [];
  const shown = view.certificate ?? certificates[0]?.id;
  if (query.error && certificates.length === 0)
    return <ErrorState error={query.error} onRetry={() => void query.refetch()} retrying={query.isFetching} />;
  if (query.isPending) return <Skeleton mx="md" height={80} role="status" aria-label="Loading the comparisons" />;
  if (shown === undefined) {
    return (
      <Text size="sm" c="dimmed" px="md">
        None yet. A format is compared with the checkpoint before it is deployed or exported.
      </Text>
    );
  }
  return (
    <Stack gap="sm">
      {certificates.length < 2 ? null : (
        <NativeSelect
          mx="md"
          aria-label="Comparison"
          value={shown}
          style={{ alignSelf: "flex-start" }}
          onChange={(event) => void setView({ certificate: event.currentTarget.value })}
          data={certificates.map((one) => ({ value: one.id, label: nameOf(one) }))}
        />
      )}
      <CertificateView key={shown} projectId={projectId} certificateId={shown} />
    </Stack>
  );
}
