"use client";
import { Badge, Group, Table, Text } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { ListFrame, ListRow, ROOMY } from "@/app/_components/layout/list-frame";
import { PageBody } from "@/app/_components/layout/page-body";
import { PageHeader } from "@/app/_components/layout/page-header";
import { AgoOr } from "@/app/_components/values/ago";
import { useTRPC } from "@/app/_lib/trpc/client";
import { nextPage } from "@/app/_lib/trpc/next-page";
import type { Person } from "@/server/services/people/schemas";
import { DisablePerson } from "./disable-person";
import { ErasePerson } from "./erase-person";
import { type Doing, PersonActions } from "./person-actions";

const COLUMNS = [
  { label: "Person" },
  { label: "Projects", roomy: true },
  { label: "Last sign-in", roomy: true },
  { label: null },
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
      <PageBody>
        <ListFrame
          label="People"
          what="person"
          columns={COLUMNS}
          minWidth={340}
          list={list}
          count={people.length}
          empty={null}
        >
          {people.map((person, index) => (
            <ListRow key={person.id} index={index} off={person.disabledAt !== null}>
              <Table.Td w={{ base: "100%", sm: "45%" }} maw={0}>
                <Who person={person} me={me} />
              </Table.Td>
              <Table.Td maw={0} {...ROOMY}>
                <Projects person={person} />
              </Table.Td>
              <Table.Td {...ROOMY}>
                <AgoOr at={person.lastSignInAt} otherwise="Not yet" />
              </Table.Td>
              <Table.Td ta="end">
                <PersonActions person={person} isMe={person.id === me} onChoose={setDoing} />
              </Table.Td>
            </ListRow>
          ))}
        </ListFrame>
      </PageBody>
      {doing?.what === "disable" ? <DisablePerson key={doing.person.id} person={doing.person} onClose={close} /> : null}
      {doing?.what === "erase" ? <ErasePerson key={doing.person.id} person={doing.person} onClose={close} /> : null}
    </>
  );
}

function Who({ person, me }: { person: Person; me: string | null }) {
  const { id, name, email, installationOwner, mayCreateProjects, disabledAt } = person;
  return (
    <>
      <Group gap={6} wrap="nowrap">
        <Text size="sm" fw={500} truncate title={name ?? email}>
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
          <Badge size="sm" variant="default" flex="none" visibleFrom="sm">
            Starts projects
          </Badge>
        ) : null}
      </Group>
      {name ? (
        <Text size="xs" c="dimmed" truncate title={email}>
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
    <Text size="sm" truncate title={text}>
      {text}
    </Text>
  );
}
