import { z } from "zod";
import { problemsOf } from "../problems-of";
import { TrackerError } from "../tracker-error";
import { type GitlabApi, projectOf, SUBJECT } from "./gitlab-api";

/** The access level of the Reporter role, which may label and close issues. */
const REPORTER = 20;

const access = z.object({ access_level: z.number() }).nullish();
const project = z.object({
  path_with_namespace: z.string(),
  visibility: z.string().nullish(),
  archived: z.boolean().nullish(),
  issues_enabled: z.boolean().nullish(),
  issues_access_level: z.string().nullish(),
  permissions: z.object({ project_access: access, group_access: access }).nullish(),
});
type Project = z.infer<typeof project>;

type Problem = { isSo: (project: Project) => boolean; message: (destination: string) => string };

/** What keeps everybody from writing issues in a project. */
const CLOSED: readonly Problem[] = [
  {
    isSo: (found) => found.issues_enabled === false || found.issues_access_level === "disabled",
    message: (destination) =>
      `Issues are turned off in ${destination}. Turn them on in its settings, under Visibility, project features, permissions.`,
  },
  {
    isSo: (found) => found.archived === true,
    message: (destination) => `${destination} is archived and does not accept issues. Choose another project.`,
  },
];
/** Possible problems with a project that the token can see. */
const PROBLEMS: readonly Problem[] = [
  ...CLOSED,
  {
    isSo: (found) => found.visibility !== "public" && (roleIn(found) ?? REPORTER) < REPORTER,
    message: (destination) =>
      `The token's role in ${destination} is too low to label and close issues. Give it the Reporter role or a higher one.`,
  },
];

/**
 * Returns the access level of the token; `undefined` if GitLab does not report it, e.g. for access through an invited group.
 */
function roleIn({ permissions }: Project): number | undefined {
  const levels = [permissions?.project_access, permissions?.group_access].flatMap((one) => one?.access_level ?? []);
  return levels.length === 0 ? undefined : Math.max(...levels);
}

/** Reads the project; throws an error that says what is wrong with it or with the token. */
export const readProject = (api: GitlabApi, destination: string) => {
  const name = projectOf(destination);
  return api.call(SUBJECT.place(destination), project, ({ projects }) => projects.show(name));
};

/**
 * Makes a change in a project. GitLab refuses one in an archived project, or one without issues, as if the token lacked a
 * permission; the error says what is wrong with the project instead.
 */
export async function changing<T>(api: GitlabApi, destination: string, change: () => Promise<T>): Promise<T> {
  try {
    return await change();
  } catch (error) {
    if (!(error instanceof TrackerError && error.reason === "credential")) throw error;
    const found = await readProject(api, destination).catch(() => undefined);
    const problem = found && CLOSED.find(({ isSo }) => isSo(found));
    throw problem === undefined ? error : new TrackerError("destination", problem.message(destination));
  }
}

/** Returns the token's scopes; `undefined` for kinds of token that do not report them, such as OAuth tokens. */
async function scopesOf(api: GitlabApi): Promise<string[] | undefined> {
  try {
    const token = z.object({ scopes: z.array(z.string()) });
    return (await api.call(SUBJECT.place(null), token, ({ tokens }) => tokens.show())).scopes;
  } catch (error) {
    // An invalid token is reported by the next call.
    if (error instanceof TrackerError && !error.transient) return undefined;
    throw error;
  }
}

/** Returns what would prevent creating issues. */
export const checkGitlab = (api: GitlabApi, destination: string | null) =>
  problemsOf(async () => {
    const scopes = await scopesOf(api);
    if (scopes !== undefined && !scopes.includes("api"))
      return ["The token lacks the scope api, which is required to create issues. Create a token with it."];
    if (destination === null) {
      await api.call(SUBJECT.place(null), z.object({ username: z.string() }), ({ users }) => users.showCurrentUser());
      return [];
    }
    const found = await readProject(api, destination);
    return PROBLEMS.filter(({ isSo }) => isSo(found)).map(({ message }) => message(destination));
  });
