"use client";
import { Button, Group, Select, Stack } from "@mantine/core";
import { useInfiniteQuery, useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { Refused } from "@/app/_components/feedback/refused";
import { useTRPC } from "@/app/_lib/trpc/client";
import { nextPage } from "@/app/_lib/trpc/next-page";
import type { Person } from "@/server/services/people/schemas";
import { useDone } from "./use-people";

/** Transfers a project that would otherwise be left without an owner. */
export function HandOver({ person, project }: { person: Person; project: { id: string; name: string } }) {
  const trpc = useTRPC();
  const done = useDone();
  const [newOwner, setNewOwner] = useState<string | null>(null);
  const list = useInfiniteQuery(trpc.people.list.infiniteQueryOptions({ limit: 100 }, nextPage));
  const others = (list.data?.pages.flatMap((page) => page.people) ?? [])
    .filter(({ id, disabledAt }) => id !== person.id && disabledAt === null)
    .map(({ id, email }) => ({ value: id, label: email }));
  const handOver = useMutation(
    trpc.people.handOver.mutationOptions({ onSuccess: () => done(`“${project.name}” has a new owner.`) }),
  );
  return (
    <Stack gap="xs">
      <Group align="flex-end" gap="xs" wrap="nowrap">
        <Select
          flex={1}
          label={`Nobody else owns “${project.name}”: hand it over to`}
          placeholder="Choose a person"
          searchable
          data={others}
          value={newOwner}
          onChange={setNewOwner}
        />
        <Button
          variant="default"
          disabled={newOwner === null}
          loading={handOver.isPending}
          onClick={() => handOver.mutate({ userId: person.id, projectId: project.id, toUserId: newOwner ?? "" })}
        >
          Hand over
        </Button>
      </Group>
      <Refused error={handOver.error} />
    </Stack>
  );
}
