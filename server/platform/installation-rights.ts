import { and, eq, isNull } from "drizzle-orm";
import { users } from "@/db/schema";
import type { InstallationRight } from "./capabilities";
import type { InstallationCtx } from "./context";
import { ServiceError } from "./errors";

const REFUSED: Record<InstallationRight, string> = {
  "people:manage": "This is for owners of the installation.",
  "projects:create": "Starting projects is a right that an owner of this installation gives: ask one of them.",
};

type Rights = { installationOwner: boolean; mayCreateProjects: boolean };

/** Whether somebody with these marks has the right. */
export const holdsRight = ({ installationOwner, mayCreateProjects }: Rights, right: InstallationRight) =>
  installationOwner || (right === "projects:create" && mayCreateProjects);

/** Refuses who does not hold the right at this moment. The operator, who has the database, needs none. */
export async function requireRight(ctx: InstallationCtx, right: InstallationRight): Promise<void> {
  if ("operator" in ctx) return;
  const [person] = await ctx.db
    .select({ installationOwner: users.installationOwner, mayCreateProjects: users.mayCreateProjects })
    .from(users)
    .where(and(eq(users.id, ctx.userId), isNull(users.disabledAt)));
  if (!person || !holdsRight(person, right)) throw new ServiceError("forbidden", REFUSED[right]);
}
