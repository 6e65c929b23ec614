import { and, eq, isNull } from "drizzle-orm";
import type { Db } from "@/db/client";
import { users } from "@/db/schema";
import { INSTALLATION_RIGHTS, type InstallationRight } from "./capabilities";
import type { InstallationCtx } from "./context";
import { ServiceError } from "./errors";

const REFUSED: Record<InstallationRight, string> = {
  "people:manage": "Only owners of the installation may do this.",
  "projects:create": "You do not have permission to create projects. Ask an owner of this installation.",
  "trainers:manage": "Only owners of the installation may add and remove trainers.",
};

type Rights = { installationOwner: boolean; mayCreateProjects: boolean };

/** Returns the rights that a person with these flags has. */
export const rightsBy = ({ installationOwner, mayCreateProjects }: Rights): InstallationRight[] =>
  INSTALLATION_RIGHTS.filter((right) => installationOwner || (right === "projects:create" && mayCreateProjects));

/** Returns a person's current rights outside any project; none for unknown and disabled accounts. */
export async function rightsOf(db: Db, userId: string): Promise<InstallationRight[]> {
  const [person] = await db
    .select({ installationOwner: users.installationOwner, mayCreateProjects: users.mayCreateProjects })
    .from(users)
    .where(and(eq(users.id, userId), isNull(users.disabledAt)));
  return person ? rightsBy(person) : [];
}

/** Throws `forbidden` unless the caller holds the right at this moment. The operator needs none. */
export async function requireRight(ctx: InstallationCtx, right: InstallationRight): Promise<void> {
  if ("operator" in ctx) return;
  const rights = await rightsOf(ctx.db, ctx.userId);
  if (!rights.includes(right)) throw new ServiceError("forbidden", REFUSED[right]);
}
