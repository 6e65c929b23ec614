import { Anchor } from "@mantine/core";
import Link from "next/link";
import { plural } from "@/app/_lib/format";
import type { Finding } from "@/server/services/diagnostics/schemas";

type Props = { projectId: string; finding: Pick<Finding, "id">; count: number; what?: string };

/** The words of a split's toast, with a link to the new Finding: it has the old one's name when both show the same. */
export const SplitOff = ({ projectId, finding, count, what = "conversation" }: Props) => (
  <>
    Split {plural(count, what)} into{" "}
    <Anchor component={Link} inherit href={`/p/${projectId}/findings/${encodeURIComponent(finding.id)}`}>
      a new Finding
    </Anchor>
  </>
);
