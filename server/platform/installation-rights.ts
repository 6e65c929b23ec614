import { and, eq, isNull } from "drizzle-orm";
import type { Db } from "@/db/client";
import { users } from "@/db/schema";
import { INSTALLATION_RIGHTS, type InstallationRight } from "./capabilities";
import type { InstallationCtx } from "./context";
import { ServiceError } from "./errors";

const REFUSED: Record<InstallationRight, string> = {
  "people:manage": "This is for owners of the installation.",
  "projects:create": "Starting projects is a right that an owner of this installation gives: ask one of them.",
};

type Rights = { installationOwner: boolean; mayCreateProjects: boolean };

/** Returns the rights that somebody with these marks has. */
export const rightsBy = ({ installationOwner, mayCreateProjects }: Rights): InstallationRight[] =>
  INSTALLATION_RIGHTS.filter((right) => installationOwner || (right === "projects:create" && mayCreateProjects));

/** Returns what somebody may do outside any project at this moment; nothing for nobody and for the disabled. */
export async function rightsOf(db: Db, userId: string): Promise<InstallationRight[]> {
  const [person] = await db
    .select({ installationOwner: users.installationOwner, mayCreateProjects: users.mayCreateProjects })
    .from(users)
    .where(and(eq(users.id, userId), isNull(users.disabledAt)));
  return person ? rightsBy(person) : [];
}

/** Refuses who does not hold the right at this moment. The operator, who has the database, needs none. */
export async function requireRight(ctx: InstallationCtx, right: InstallationRight): Promise<void> {
  if ("operator" in ctx) return;
  const rights = await rightsOf(ctx.db, ctx.userId);
  if (!rights.includes(right)) throw new ServiceError("forbidden", REFUSED[right]);
}
