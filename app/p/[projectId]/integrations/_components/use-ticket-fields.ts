"use client";
import { useDebouncedValue } from "@mantine/hooks";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { problemOf } from "@/app/_lib/problem";
import { useTRPC } from "@/app/_lib/trpc/client";
import { controlOf, type FieldControl, type FieldValues, missingIds, valuesFrom } from "./ticket-field-values";

const TYPING_MS = 400;

type Options = {
  projectId: string;
  /** The id of a saved Jira connection with a secret; `null` for any other, whose fields cannot be read. */
  connectionId: string | null;
  /** As typed; empty: the connection's default. */
  destination: string;
  /** As typed; empty: the connection's. */
  issueType?: string;
};

/** Reads the fields that a destination asks for, and keeps what is entered until `save`. */
export function useTicketFields({ projectId, connectionId, destination, issueType = "" }: Options) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const [to] = useDebouncedValue(destination.trim(), TYPING_MS);
  const [type] = useDebouncedValue(issueType.trim(), TYPING_MS);
  const query = useQuery(
    trpc.connections.getTicketFields.queryOptions(
      {
        projectId,
        connectionId: connectionId ?? "",
        ...(to && { destination: to }),
        ...(type && { issueType: type }),
      },
      { enabled: connectionId !== null, gcTime: 0, staleTime: Number.POSITIVE_INFINITY, retry: false },
    ),
  );
  const update = useMutation(trpc.connections.updateTicketFields.mutationOptions());
  const read = query.data?.ticketFields;
  const [entered, setEntered] = useState<{ to: string; controls: Record<string, FieldControl> }>();
  const controls = entered !== undefined && entered.to === read?.destination ? entered.controls : {};
  const [unfilled, setUnfilled] = useState<readonly string[]>([]);
  const fields = read?.fields ?? [];
  const refused = problemOf(update.error).errors;

  return {
    query,
    read,
    isOffered: connectionId !== null,
    control: (id: string): FieldControl => controls[id] ?? controlOf(fields.find((one) => one.id === id)),
    isShown: (id: string) => id in controls,
    enter: (id: string, control: FieldControl) => {
      if (read) setEntered({ to: read.destination, controls: { ...controls, [id]: control } });
      setUnfilled((ids) => ids.filter((one) => one !== id));
    },
    problemOf: (id: string) =>
      refused.find(({ path }) => path === `/values/${id}`)?.message ??
      (unfilled.includes(id) ? "Enter a value." : undefined),
    /** Another problem than one of a field. */
    error: update.error && !refused.some(({ path }) => path.startsWith("/values/")) ? update.error : null,
    isPending: update.isPending,
    /** Marks the required fields without a value; returns whether there are none. */
    check(): boolean {
      const missing = missingIds(fields, controls);
      setUnfilled(missing);
      return missing.length === 0;
    },
    /** Stores what was entered. Rejects if the server refuses it; what is wrong is then shown at the fields. */
    async save() {
      const values: FieldValues = valuesFrom(fields, controls);
      if (connectionId === null || !read || Object.keys(values).length === 0) return;
      await update.mutateAsync({ projectId, connectionId, destination: read.destination, values });
      void queries.invalidateQueries({ queryKey: trpc.connections.pathKey() });
    },
  };
}

export type TicketFieldsForm = ReturnType<typeof useTicketFields>;
