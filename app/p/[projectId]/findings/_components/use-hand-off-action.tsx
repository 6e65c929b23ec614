"use client";
import { useRef, useState } from "react";
import type { ActionDone, ListAction } from "@/app/_components/data-table/types";
import type { Finding } from "@/server/services/diagnostics/schemas";
import { useMay } from "../../_components/access/membership";
import { HandOffDialog } from "../../_components/work-items/hand-off-dialog";

/** Returns the list's action that hands Findings off, and its dialog. */
export function useHandOffAction(projectId: string) {
  const may = useMay("diagnostics:write");
  const [findings, setFindings] = useState<readonly Finding[] | null>(null);
  const settle = useRef<(done: ActionDone | null) => void>(() => {});
  const end = (done: ActionDone | null) => {
    setFindings(null);
    settle.current(done);
  };
  const action: ListAction<Finding> = {
    id: "hand-off",
    label: "Hand off…",
    key: "h",
    applies: ({ repairHandoffRef }) => repairHandoffRef === null,
    run: ({ rows }) =>
      new Promise((resolve) => {
        settle.current = resolve;
        setFindings(rows);
      }),
  };
  return {
    actions: may ? [action] : [],
    dialog: (
      <HandOffDialog projectId={projectId} subject={findings && { findings }} onClose={() => end(null)} onDone={end} />
    ),
  };
}
