"use client";
import { Button, Group, Tooltip } from "@mantine/core";
import { IconArchive, IconArrowBackUp, IconCheck, IconCircleCheck } from "@tabler/icons-react";
import type { Finding } from "@/server/services/diagnostics/schemas";
import { useMay } from "../../../_components/access/membership";
import type { Review } from "./use-review";

type Props = { finding: Finding; review: Review };

/** For readers who may review; others see the Finding's state. */
export const ReviewActions = (props: Props) => (useMay("diagnostics:write") ? <Actions {...props} /> : null);

/** Review and resolution: each action has a button and a key, and can be undone. */
function Actions({ finding, review: { apply, busy } }: Props) {
  const { reviewStatus, resolutionStatus } = finding;
  const resolved = resolutionStatus === "resolved";
  return (
    <Group gap={6}>
      {reviewStatus === "confirmed" ? null : (
        <Tooltip label="c">
          <Button
            disabled={busy}
            onClick={() => apply(finding, "confirm")}
            leftSection={<IconCheck size={14} aria-hidden />}
          >
            Confirm
          </Button>
        </Tooltip>
      )}
      {reviewStatus === "dismissed" ? null : (
        <Tooltip label={resolved ? "r" : "r: it is fixed; if it comes back, it says so"}>
          <Button
            variant="default"
            disabled={busy}
            onClick={() => apply(finding, resolved ? "unresolve" : "resolve")}
            leftSection={<IconCircleCheck size={14} aria-hidden />}
          >
            {resolved ? "Unresolve" : "Resolve"}
          </Button>
        </Tooltip>
      )}
      {reviewStatus === "dismissed" ? null : (
        <Tooltip label="e: not a problem; it keeps counting, quietly">
          <Button
            variant="default"
            disabled={busy}
            onClick={() => apply(finding, "dismiss")}
            leftSection={<IconArchive size={14} aria-hidden />}
          >
            Dismiss
          </Button>
        </Tooltip>
      )}
      {reviewStatus === "unreviewed" ? null : (
        <Button
          variant="default"
          disabled={busy}
          onClick={() => apply(finding, "unreview")}
          leftSection={<IconArrowBackUp size={14} aria-hidden />}
        >
          Back to review
        </Button>
      )}
    </Group>
  );
}
