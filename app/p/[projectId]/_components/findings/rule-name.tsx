"use client";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "next/navigation";
import { useTRPC } from "@/app/_lib/trpc/client";
import { isBuiltIn, ruleWords } from "./rule-words";

/** Returns what a Rule is called. The names of the project's own Rules are read unless told otherwise. */
export function useRuleNames({ enabled = true } = {}): (ruleId: string) => string {
  const { projectId } = useParams<{ projectId: string }>();
  const trpc = useTRPC();
  const { data } = useQuery({ ...trpc.rules.list.queryOptions({ projectId }), enabled });
  return (ruleId) => data?.rules.find(({ id }) => id === ruleId)?.name ?? ruleWords(ruleId);
}

/** A Rule's name. Those of the project's own Rules are read once one is shown. */
export const RuleName = ({ ruleId }: { ruleId: string }) => useRuleNames({ enabled: !isBuiltIn(ruleId) })(ruleId);
