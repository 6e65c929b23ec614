import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useUndo } from "@/app/_components/feedback/use-undo";
import { problemOf } from "@/app/_lib/problem";
import { useTRPC } from "@/app/_lib/trpc/client";
import { useKeys } from "@/app/_lib/use-keys";
import type { Role } from "@/server/platform/capabilities";
import type { Member } from "@/server/services/members/schemas";
import { ROLE_WORDS } from "../../_components/access/role-words";

/** Changes a member's role, shows a toast, and offers undo. */
export function useChangeRole(projectId: string) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const { offer, undo } = useUndo();
  useKeys({ u: undo });
  const change = useMutation(
    trpc.members.changeRole.mutationOptions({
      onError: (error) => notifications.show({ color: "red", message: problemOf(error).detail }),
      onSettled: () => queries.invalidateQueries({ queryKey: trpc.members.pathKey() }),
    }),
  );
  const changeRole = ({ userId, name, email, role: before }: Member, role: Role) =>
    change.mutate(
      { projectId, userId, role },
      {
        onSuccess: () =>
          offer(`${name ?? email} is now ${ROLE_WORDS[role].one}.`, () =>
            change.mutate({ projectId, userId, role: before }),
          ),
      },
    );
  /** The role being saved for this member. */
  const becoming = ({ userId }: Member) =>
    change.isPending && change.variables.userId === userId ? change.variables.role : null;
  return { changeRole, becoming };
}
