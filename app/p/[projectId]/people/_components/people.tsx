"use client";
import { Badge, Group, Text } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { DataList } from "@/app/_components/data-table/data-list";
import type { ListColumn } from "@/app/_components/data-table/types";
import { PageHeader } from "@/app/_components/layout/page-header";
import { AgoOr } from "@/app/_components/values/ago";
import { useTRPC } from "@/app/_lib/trpc/client";
import { nextPage } from "@/app/_lib/trpc/next-page";
import type { Person } from "@/server/services/people/schemas";
import { DisablePerson } from "./disable-person";
import { ErasePerson } from "./erase-person";
import { type Doing, PersonActions } from "./person-actions";

const columnsOf = (me: string | null, onChoose: (doing: Doing) => void): ListColumn<Person>[] => [
  {
    id: "person",
    header: "Person",
    accessorFn: ({ name, email }) => name ?? email,
    meta: { link: true },
    cell: ({ row }) => <Who person={row.original} me={me} />,
  },
  {
    id: "projects",
    header: "Projects",
    accessorFn: ({ projectCount }) => projectCount,
    meta: { width: "30%", roomy: true },
    cell: ({ row }) => <Projects person={row.original} />,
  },
  {
    id: "signed-in",
    header: "Last sign-in",
    accessorFn: ({ lastSignInAt }) => lastSignInAt ?? undefined,
    meta: { width: "8rem", roomy: true },
    cell: ({ row }) => <AgoOr at={row.original.lastSignInAt} otherwise="Not yet" />,
  },
  {
    id: "actions",
    header: "",
    meta: { width: "4rem", controls: true },
    cell: ({ row }) => <PersonActions person={row.original} isMe={row.original.id === me} onChoose={onChoose} />,
  },
];

/** `me`: the reader's own id. */
export function People({ me }: { me: string | null }) {
  const trpc = useTRPC();
  const [doing, setDoing] = useState<Doing | null>(null);
  const list = useInfiniteQuery(trpc.people.list.infiniteQueryOptions({ limit: 100 }, nextPage));
  const people = list.data?.pages.flatMap((page) => page.people) ?? [];
  const close = () => setDoing(null);
  return (
    <>
      <PageHeader title="People" />
      <DataList
        list={list}
        name="People"
        what="person"
        columns={columnsOf(me, setDoing)}
        rows={people}
        rowId={({ id }) => id}
        rowName={({ email }) => email}
        minWidth={720}
        dimmed={({ disabledAt }) => disabledAt !== null}
        empty={null}
      />
      {doing?.what === "disable" ? <DisablePerson key={doing.person.id} person={doing.person} onClose={close} /> : null}
      {doing?.what === "erase" ? <ErasePerson key={doing.person.id} person={doing.person} onClose={close} /> : null}
    </>
  );
}

function Who({ person, me }: { person: Person; me: string | null }) {
  const { id, name, email, installationOwner, mayCreateProjects, disabledAt } = person;
  return (
    <>
      <Group gap={6}>
        <Text size="sm" fw={500}>
          {name ?? email}
          {id === me ? " (you)" : ""}
        </Text>
        {disabledAt === null ? null : (
          <Badge size="sm" variant="default" flex="none">
            Disabled
          </Badge>
        )}
        {installationOwner ? (
          <Badge size="sm" variant="default" flex="none">
            Owner
          </Badge>
        ) : mayCreateProjects ? (
          <Badge size="sm" variant="default" flex="none">
            Can create projects
          </Badge>
        ) : null}
      </Group>
      {name ? (
        <Text size="xs" c="dimmed">
          {email}
        </Text>
      ) : null}
    </>
  );
}

function Projects({ person: { projects, projectCount } }: { person: Person }) {
  if (projectCount === 0) {
    return (
      <Text size="sm" c="dimmed">
        None
      </Text>
    );
  }
  const named = projects.map(({ name, role }) => `${name} (${role})`).join(", ");
  const more = projectCount - projects.length;
  const text = more > 0 ? `${named} and ${more} more` : named;
  return (
    <Text size="sm" lineClamp={2} title={text}>
      {text}
    </Text>
  );
}
