import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useUndo } from "@/app/_components/feedback/use-undo";
import { problemOf } from "@/app/_lib/problem";
import { type RouterOutputs, useTRPC } from "@/app/_lib/trpc/client";

export type Rule = RouterOutputs["rules"]["list"]["rules"][number];

/** Turns a Rule on or off, immediately and with undo. */
export function useToggleRule(projectId: string) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const { offer, undo } = useUndo();
  const update = useMutation(
    trpc.rules.update.mutationOptions({
      onSettled: () => queries.invalidateQueries({ queryKey: trpc.rules.pathKey() }),
      onError: (error) => notifications.show({ color: "red", message: problemOf(error).detail }),
    }),
  );
  const set = async ({ id, name }: Pick<Rule, "id" | "name">, enabled: boolean) => {
    await update.mutateAsync({ projectId, ruleId: id, enabled });
    return `Turned ${enabled ? "on" : "off"} “${name}”`;
  };
  return {
    undo,
    pending: update.isPending ? update.variables.ruleId : null,
    toggle: (rule: Rule) => {
      set(rule, !rule.enabled).then(
        (said) => offer(said, () => void set(rule, rule.enabled).catch(() => {})),
        () => {},
      );
    },
  };
}
