import { Text } from "@mantine/core";
import { Dot } from "@/app/_components/values/dot";
import { plural } from "@/app/_lib/format";
import type { ModelExport } from "@/server/services/model-exports/schemas";
import type { Certificate } from "@/server/services/proof/certificates/schemas";
import type { Deployment } from "@/server/services/serving/deployments/schemas";
import { CERTIFICATE_STATUS, DEPLOYMENT_STATUS, EXPORT_STATUS, isChanging, PARITY } from "./words";

type LookProps = { look: { word: string; color: string; hollow?: true } };
export const LookDot = ({ look: { word, color, hollow } }: LookProps) => (
  <Dot color={color} hollow={hollow ?? false}>
    {word}
  </Dot>
);

export const DeploymentStatus = ({ deployment: { status } }: { deployment: Pick<Deployment, "status"> }) => (
  <LookDot look={DEPLOYMENT_STATUS[status]} />
);
export const ExportStatus = ({ of: { status } }: { of: Pick<ModelExport, "status"> }) => (
  <LookDot look={EXPORT_STATUS[status]} />
);

/** The verdict of a comparison, or its progress. */
export const CertificateStatus = ({ certificate }: { certificate: Pick<Certificate, "status" | "verdict"> }) => (
  <LookDot look={certificate.verdict === null ? CERTIFICATE_STATUS[certificate.status] : PARITY[certificate.verdict]} />
);

/** What a deployment is doing, in a few words; empty if there is nothing to add to its status. */
export function stageWords(deployment: Deployment): string {
  const { status, stageDetail, restarts, error, staleSince } = deployment;
  if (staleSince !== null) return "Trainer unreachable";
  if (error !== null && (status === "failed" || status === "timeout")) return error.message;
  return [
    ...(isChanging(deployment) && stageDetail !== null ? [stageDetail] : []),
    ...(restarts > 0 ? [`restarted ${restarts === 1 ? "once" : plural(restarts, "time")}`] : []),
  ].join(" · ");
}

/** A deployment's status with its stage, for a row of a list. */
export function DeploymentState({ deployment }: { deployment: Deployment }) {
  const words = stageWords(deployment);
  return (
    <>
      <DeploymentStatus deployment={deployment} />
      {words === "" ? null : (
        <Text size="xs" c="dimmed" className="clip" component="div" title={words}>
          {words}
        </Text>
      )}
    </>
  );
}
