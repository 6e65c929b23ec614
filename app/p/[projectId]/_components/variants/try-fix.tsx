"use client";
import { Button, Tooltip } from "@mantine/core";
import { IconFlask } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { useTRPC } from "@/app/_lib/trpc/client";
import { newVariantHref } from "./hrefs";
import classes from "./variants.module.css";

type Props = {
  projectId: string;
  conversationId: string;
  messageIndex: number;
  /** Why the answer cannot be given again, where that is known without looking. */
  why?: string | null;
};

/** What is read here opens the editor without waiting. */
const ONCE = { staleTime: Number.POSITIVE_INFINITY };

/** Opens the editor of a variant beside one recorded answer or, where that cannot be given again, says why. */
export function TryFix({ projectId, conversationId, messageIndex, why = null }: Props) {
  const trpc = useTRPC();
  const router = useRouter();
  const queries = useQueryClient();
  const [isChecking, setChecking] = useState(false);
  const [found, setFound] = useState<string | null>(null);
  const problem = why ?? found;
  const open = async () => {
    if (problem !== null || isChecking) return;
    setChecking(true);
    const turn = { projectId, conversationId, messageIndex };
    const read = queries.fetchQuery({ ...trpc.variants.recordedTurn.queryOptions(turn), ...ONCE });
    // The editor shows a failed read, with a way to repeat it.
    const recorded = await read.catch(() => null);
    setChecking(false);
    if (recorded?.problem) return setFound(recorded.problem);
    router.push(newVariantHref(projectId, { conversation: conversationId, message: String(messageIndex) }));
  };
  return (
    <>
      <Tooltip label={problem} disabled={problem === null} events={{ hover: true, focus: true, touch: true }}>
        <Button
          className={classes.try}
          variant="subtle"
          size="compact-xs"
          leftSection={<IconFlask size={12} aria-hidden />}
          aria-label={`Try a fix of message ${messageIndex}`}
          aria-disabled={problem !== null}
          data-disabled={problem !== null}
          aria-busy={isChecking}
          onClick={() => void open()}
        >
          Try a fix…
        </Button>
      </Tooltip>
      {found === null ? null : (
        <span role="status" className={classes.quiet}>
          {found}
        </span>
      )}
    </>
  );
}
