import { Anchor } from "@mantine/core";
import Link from "next/link";
import { plural } from "@/app/_lib/format";
import type { Finding } from "@/server/services/diagnostics/schemas";

type Props = { projectId: string; finding: Pick<Finding, "id">; count: number; what?: string };

/** The text of a split's toast, with a link to the new Finding, whose name equals the old one's if both show the same. */
export const SplitOff = ({ projectId, finding, count, what = "conversation" }: Props) => (
  <>
    Split {plural(count, what)} into{" "}
    <Anchor component={Link} inherit href={`/p/${projectId}/findings/${encodeURIComponent(finding.id)}`}>
      a new Finding
    </Anchor>
  </>
);
