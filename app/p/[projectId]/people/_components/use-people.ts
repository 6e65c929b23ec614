import { notifications } from "@mantine/notifications";
import { useQueryClient } from "@tanstack/react-query";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { Person } from "@/server/services/people/schemas";

export const nameOf = ({ name, email }: Person) => name ?? email;

/** What follows when somebody was changed: it is said, and the lists are read again. */
export function useDone() {
  const trpc = useTRPC();
  const queries = useQueryClient();
  return (message: string) => {
    void queries.invalidateQueries({ queryKey: trpc.people.pathKey() });
    notifications.show({ message });
  };
}
