"use client";
import { Button } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconCopy } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { problemOf } from "@/app/_lib/problem";
import { useTRPC } from "@/app/_lib/trpc/client";

/** Copies the change with its evidence and answers as Markdown, to give to a coding agent or to paste into a ticket. */
export function CopyForAgent({ projectId, variantId }: { projectId: string; variantId: string }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const [isCopying, setCopying] = useState(false);
  const copy = async () => {
    setCopying(true);
    try {
      const { text } = await queries.fetchQuery(trpc.variants.handOff.queryOptions({ projectId, variantId }));
      await navigator.clipboard.writeText(text);
      notifications.show({ message: "Copied the change with its evidence" });
    } catch (error) {
      notifications.show({ color: "red", message: `Could not copy it: ${problemOf(error).detail}` });
    } finally {
      setCopying(false);
    }
  };
  return (
    <Button
      variant="default"
      loading={isCopying}
      leftSection={<IconCopy size={14} aria-hidden />}
      onClick={() => void copy()}
    >
      Copy for a coding agent
    </Button>
  );
}
