import { notifications } from "@mantine/notifications";
import { useQueryClient } from "@tanstack/react-query";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { Person } from "@/server/services/people/schemas";

export const nameOf = ({ name, email }: Person) => name ?? email;

/** Shows a toast and reloads the lists after a change to a person. */
export function useDone() {
  const trpc = useTRPC();
  const queries = useQueryClient();
  return (message: string) => {
    void queries.invalidateQueries({ queryKey: trpc.people.pathKey() });
    notifications.show({ message });
  };
}
