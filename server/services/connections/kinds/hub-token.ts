import { z } from "zod";

const permissions = z.array(z.string()).catch([]);

/**
 * What a hub reports about a token, in Hugging Face's format. Other hubs may report less; what is missing, the hub checks on
 * use.
 */
export const whoami = z.object({
  name: z.string(),
  orgs: z
    .array(z.object({ name: z.string(), roleInOrg: z.string().nullish().catch(null) }))
    .nullish()
    .catch(null),
  auth: z
    .object({
      accessToken: z.object({
        role: z.string().nullish().catch(null),
        fineGrained: z
          .object({
            scoped: z.array(z.object({ entity: z.object({ name: z.string().catch("") }), permissions })).catch([]),
          })
          .nullish()
          .catch(null),
      }),
    })
    .nullish()
    .catch(null),
});
export type Whoami = z.output<typeof whoami>;

const WRITE = "repo.write";
const isSame = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();

/**
 * Returns why a token may not write to a repository (`null`: to any repository); empty if the hub does not report permissions.
 */
export function writeProblems({ name, orgs, auth }: Whoami, repoId: string | null): string[] {
  const { role, fineGrained } = auth?.accessToken ?? {};
  if (role === "read") return ["The token is read-only. Enter one with write access."];
  const owner = repoId?.split("/")[0];
  if (role === "fineGrained" && fineGrained) {
    const writable = fineGrained.scoped.filter((scope) => scope.permissions.includes(WRITE));
    if (writable.length === 0) return ["The token has no write access to any repository. Enter one with write access."];
    const isNamed = ({ entity }: (typeof writable)[number]) =>
      repoId === null || isSame(entity.name, repoId) || isSame(entity.name, owner ?? "");
    return writable.some(isNamed)
      ? []
      : [`The token has no write access to repositories of ${owner}. Enter one with write access.`];
  }
  if (owner === undefined || isSame(owner, name) || !orgs) return [];
  const org = orgs.find((one) => isSame(one.name, owner));
  if (!org) return [`The token belongs to ${name}, who is not a member of ${owner}. Choose a repository of ${name}.`];
  if (org.roleInOrg === "read") return [`The token belongs to ${name}, who has only read access in ${owner}.`];
  return [];
}
