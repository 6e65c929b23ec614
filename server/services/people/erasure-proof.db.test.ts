import { and, eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { type Entry, TABLES, type TableName } from "@/db/deletion-registry";
import { db } from "@/db/pool";
import { identities, memberships, users } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import type { AccountCtx, Ctx } from "@/server/platform/context";
import { createApiKey } from "@/server/services/api-keys";
import { tablesNaming, tablesStillNaming } from "@/server/services/deletion/testing";
import {
  createUser,
  operatorPasswordReset,
  recordSignInNetwork,
  renameMe,
  signInWithPassword,
} from "@/server/services/identity";
import { acceptInvitation, inviteMember } from "@/server/services/members";
import { createSavedView, updatePinnedCharts } from "@/server/services/saved-views";
import { erasePerson } from ".";

const PASSWORD = "correct horse";
const ADDRESS = "192.0.2.77";
const request = { requestId: "r", address: ADDRESS, door: "page" as const };
let made = 0;

/** Creates a person whose address, name or id occurs in every table that may contain data about people. */
async function spreadPerson(host: Ctx) {
  const mark = `Hedwig${++made}x`;
  const email = `${mark}@example.test`;
  const user = await createUser(db(), { email, password: PASSWORD, name: mark });
  const account: AccountCtx = { db: db(), userId: user.id, request };
  await renameMe(account, { name: `${mark} Kiesler` });
  await signInWithPassword(db(), { email, password: PASSWORD, visitor: { request } });
  await recordSignInNetwork(db(), { userId: user.id, address: ADDRESS });
  await operatorPasswordReset(db(), email);
  await db().insert(identities).values({
    issuer: "https://sign-in.example.test",
    subject: mark,
    userId: user.id,
    email,
    lastUsedAt: Date.now(),
  });
  const { projectId } = host;
  await inviteMember(host, { email });
  const { token } = await inviteMember(host, { email });
  await acceptInvitation(account, { token });
  await db()
    .update(memberships)
    .set({ role: "owner" })
    .where(and(eq(memberships.projectId, projectId), eq(memberships.userId, user.id)));
  const theirs: Ctx = { ...host, actor: { kind: "user", userId: user.id, role: "owner" }, request };
  await createApiKey(theirs, { name: "theirs" });
  const { savedView } = await createSavedView(theirs, { list: "charts", name: `View of ${mark}`, query: "" });
  await updatePinnedCharts(theirs, { savedViewIds: [savedView.id] });
  return { id: user.id, email, mark };
}
type Spread = Awaited<ReturnType<typeof spreadPerson>>;

const traces = async ({ id, mark }: Spread) => [await tablesNaming(db(), mark), await tablesNaming(db(), id)] as const;

test("an erased person was in every table that its entry names, and is erased from all of them", async () => {
  const owner = await createUser(db(), { email: "grace@example.test", password: PASSWORD, name: "Grace" });
  const { ctx: host } = await testProject();
  const person = await spreadPerson(host);
  const neighbour = await spreadPerson((await testProject()).ctx);

  const found = new Set((await traces(person)).flatMap((tables) => Object.keys(tables)));
  const entries = Object.entries(TABLES) as [TableName, Entry][];
  const reached = entries.filter(
    ([, { person: held }]) => held.holds !== "nothing" && held.erased !== "kept" && held.erased !== "expires",
  );
  expect(reached.map(([table]) => table).filter((table) => !found.has(table))).toEqual([]);
  const mayHold = entries.filter(([, { person: held }]) => held.holds !== "nothing").map(([table]): string => table);
  expect([...found].filter((table) => !mayHold.includes(table))).toEqual([]);

  const before = await traces(neighbour);
  const account: AccountCtx = { db: db(), userId: owner.id, request: { ...request, address: "192.0.2.1" } };
  await erasePerson(account, { userId: person.id, email: person.email });
  expect(await tablesNaming(db(), person.mark)).toEqual({});
  expect(await tablesNaming(db(), person.mark.toLowerCase())).toEqual({});
  expect(await tablesStillNaming(db(), person.id, "person")).toEqual({});
  expect(await traces(neighbour)).toEqual(before);
  expect(await db().$count(users, eq(users.id, neighbour.id))).toBe(1);
});
