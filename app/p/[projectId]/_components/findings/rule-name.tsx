"use client";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "next/navigation";
import { useTRPC } from "@/app/_lib/trpc/client";
import { isBuiltIn, ruleWords } from "./rule-words";

/** A Rule's name. Those of the project's own Rules are read once one is shown. */
export function RuleName({ ruleId }: { ruleId: string }) {
  const { projectId } = useParams<{ projectId: string }>();
  const trpc = useTRPC();
  const { data } = useQuery({ ...trpc.rules.list.queryOptions({ projectId }), enabled: !isBuiltIn(ruleId) });
  return data?.rules.find(({ id }) => id === ruleId)?.name ?? ruleWords(ruleId);
}
