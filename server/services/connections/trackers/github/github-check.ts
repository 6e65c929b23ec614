import { z } from "zod";
import { problemsOf } from "../problems-of";
import { type GithubApi, repositoryOf, SUBJECT } from "./github-api";
import { installationProblems } from "./github-installation";

const repository = z.object({
  full_name: z.string(),
  private: z.boolean(),
  archived: z.boolean().nullish(),
  has_issues: z.boolean(),
  permissions: z.object({ push: z.boolean().nullish(), triage: z.boolean().nullish() }).nullish(),
});

type Found = {
  destination: string;
  repo: z.infer<typeof repository>;
  /** Scopes of a classic token; `undefined` for other credentials, which do not report theirs. */
  scopes: readonly string[] | undefined;
  labels: readonly string[];
  /** `null` for a token. An App has permissions instead of an account's role. */
  installationId: string | null;
};

/** Possible problems with a repository that the token can see. */
const PROBLEMS: readonly { isSo: (found: Found) => boolean; message: (found: Found) => string }[] = [
  {
    isSo: ({ scopes, repo }) =>
      scopes !== undefined && !scopes.includes("repo") && (repo.private || !scopes.includes("public_repo")),
    message: ({ destination, repo }) =>
      `The token lacks the scope ${repo.private ? "repo" : "public_repo"}, which is required to create issues in ${destination}. Create a token with it.`,
  },
  {
    isSo: ({ repo }) => !repo.has_issues,
    message: ({ destination }) =>
      `Issues are turned off in ${destination}. Turn them on in its settings, under Features.`,
  },
  {
    isSo: ({ repo }) => repo.archived === true,
    message: ({ destination }) => `${destination} is archived and does not accept issues. Choose another repository.`,
  },
  {
    isSo: (found) => !mayTriage(found) && found.repo.private,
    message: ({ destination }) =>
      `The token's account has only read access to ${destination}. Give it the Triage or Write role, so that it can label and close issues.`,
  },
  {
    isSo: (found) => !mayTriage(found) && !found.repo.private && found.labels.length > 0,
    message: ({ destination }) =>
      `The token's account is not allowed to label issues in ${destination}: GitHub drops labels silently. Give it the Triage or Write role, or remove the labels.`,
  },
];

/** If the reply has no permissions, GitHub does not report them. */
const mayTriage = ({ repo: { permissions }, installationId }: Found) =>
  installationId !== null || !permissions || permissions.push === true || permissions.triage === true;

/** Reads the repository; throws an error that says what is wrong with it or with the token. */
export const readRepository = (api: GithubApi, destination: string) => {
  const at = repositoryOf(destination);
  return api.call(SUBJECT.place(destination), repository, ({ rest }) => rest.repos.get(at));
};

/** Returns what would prevent creating issues. */
export const checkGithub = (
  api: GithubApi,
  destination: string | null,
  { labels, installationId }: Pick<Found, "labels" | "installationId">,
) =>
  problemsOf(async () => {
    const subject = SUBJECT.place(destination);
    if (installationId !== null) {
      const problems = await installationProblems(api, installationId, destination);
      if (problems.length > 0 || destination === null) return problems;
    }
    if (destination === null) {
      await api.call(subject, z.object({ login: z.string() }), ({ rest }) => rest.users.getAuthenticated());
      return [];
    }
    const { data: repo, headers } = await readRepository(api, destination);
    const scopes = headers["x-oauth-scopes"]
      ?.toString()
      .split(",")
      .map((scope) => scope.trim());
    const found = { destination, repo, scopes, labels, installationId };
    const problems = PROBLEMS.filter(({ isSo }) => isSo(found)).map(({ message }) => message(found));
    if (problems.length > 0) return problems;
    const at = repositoryOf(destination);
    await api.call(subject, z.array(z.unknown()), ({ rest }) => rest.issues.listForRepo({ ...at, per_page: 1 }));
    // Only a classic token reports its scopes. For others, an invalid request tells: GitHub checks permissions before input,
    // and never creates an issue without a title.
    const create = "POST /repos/{owner}/{repo}/issues";
    if (scopes === undefined) await api.invalid(subject, (octokit) => octokit.request(create, { ...at } as never));
    return [];
  });
