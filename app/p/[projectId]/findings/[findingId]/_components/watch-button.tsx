"use client";
import { Button } from "@mantine/core";
import { IconEye } from "@tabler/icons-react";
import { useState } from "react";
import { WatchFix } from "../../../_components/fixes/watch-fix";

/** Opens the dialog that asks how a fix of the Finding went out. */
export function WatchButton({ projectId, findingId }: { projectId: string; findingId: string }) {
  const [watching, setWatching] = useState(false);
  return (
    <>
      <Button
        variant="subtle"
        size="compact-sm"
        leftSection={<IconEye size={14} aria-hidden />}
        onClick={() => setWatching(true)}
      >
        Watch a fix…
      </Button>
      <WatchFix projectId={projectId} subject={watching ? { findingId } : null} onClose={() => setWatching(false)} />
    </>
  );
}
