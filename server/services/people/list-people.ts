import { users } from "@/db/schema";
import { listPage } from "@/server/platform/cursor";
import { installationVerb } from "@/server/platform/verb";
import { impactOf, personColumns, readPerson } from "./read-people";
import { listPeopleInput, peopleReply, personInput, personWithImpactReply } from "./schemas";

export const listPeople = installationVerb(
  {
    name: "people.list",
    summary: "List all people with an account, newest first, with their projects and last sign-in.",
    right: "people:manage",
    effect: "read",
    input: listPeopleInput,
    reply: peopleReply,
  },
  async ({ db }, { limit, cursor }) => {
    const { rows, nextCursor } = await listPage({ name: "people", table: users, filters: {}, limit, cursor }, (after) =>
      db.select(personColumns).from(users).where(after),
    );
    return { people: rows, pagination: { limit, nextCursor } };
  },
);

export const getPerson = installationVerb(
  {
    name: "people.get",
    summary: "Read one person, and what disabling or erasing them would affect.",
    right: "people:manage",
    effect: "read",
    input: personInput,
    reply: personWithImpactReply,
  },
  async ({ db }, { userId }) => ({ person: await readPerson(db, userId), impact: await impactOf(db, userId) }),
);
