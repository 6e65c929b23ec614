"use client";
import { Button, Group, Tooltip } from "@mantine/core";
import { IconArchive, IconArrowBackUp, IconCheck, IconCircleCheck } from "@tabler/icons-react";
import { useKeys } from "@/app/_lib/use-keys";
import type { Finding } from "@/server/services/diagnostics/schemas";
import { useMay } from "../../../_components/membership";
import { useReview } from "./use-review";

/** For those who may review; the others see where a Finding stands. */
export const ReviewActions = (props: { projectId: string; finding: Finding }) =>
  useMay("diagnostics:write") ? <Actions {...props} /> : null;

/** Review and resolution: each a button and a key, each can be taken back. */
function Actions({ projectId, finding }: { projectId: string; finding: Finding }) {
  const { apply, takeBack, busy } = useReview(projectId, finding);
  const { reviewStatus, resolutionStatus } = finding;
  const confirm = () => apply({ reviewStatus: "confirmed" }, "Confirmed");
  const dismiss = () => apply({ reviewStatus: "dismissed" }, "Dismissed");
  const unreview = () => apply({ reviewStatus: "unreviewed" }, "Back for review");
  const resolve = () => apply({ resolutionStatus: "resolved" }, "Resolved");
  const unresolve = () => apply({ resolutionStatus: "unresolved" }, "Unresolved");
  const resolved = resolutionStatus === "resolved";
  useKeys({
    c: () => reviewStatus !== "confirmed" && confirm(),
    e: () => reviewStatus !== "dismissed" && dismiss(),
    r: () => reviewStatus !== "dismissed" && (resolved ? unresolve() : resolve()),
    u: takeBack,
  });
  return (
    <Group gap={6}>
      {reviewStatus === "confirmed" ? null : (
        <Tooltip label="c">
          <Button disabled={busy} onClick={confirm} leftSection={<IconCheck size={14} aria-hidden />}>
            Confirm
          </Button>
        </Tooltip>
      )}
      {reviewStatus === "dismissed" ? null : (
        <Tooltip label={resolved ? "r" : "r: it is fixed; if it comes back, it says so"}>
          <Button
            variant="default"
            disabled={busy}
            onClick={resolved ? unresolve : resolve}
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
            onClick={dismiss}
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
          onClick={unreview}
          leftSection={<IconArrowBackUp size={14} aria-hidden />}
        >
          Back to review
        </Button>
      )}
    </Group>
  );
}
