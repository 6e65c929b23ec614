import { z } from "zod";
import { TrackerError } from "../tracker-error";
import { type GithubApi, repositoryOf, SUBJECT } from "./github-api";

const installation = z.object({
  id: z.number(),
  html_url: z.string(),
  permissions: z.record(z.string(), z.string()).nullish(),
  suspended_at: z.string().nullish(),
});
type Installation = z.infer<typeof installation>;

/** Returns what a GitHub App's installation lacks for working with issues in the repository. */
export async function installationProblems(
  api: GithubApi,
  installationId: string,
  destination: string | null,
): Promise<string[]> {
  api.renew(); // a token keeps the permissions of the time when it was issued
  const id = Number(installationId);
  const subject = SUBJECT.place(destination);
  // This call also detects a wrong key and a missing installation.
  await api.call(subject, z.unknown(), ({ rest }) => rest.apps.listReposAccessibleToInstallation({ per_page: 1 }));
  const ours = async () =>
    (await api.call(subject, installation, ({ rest }) => rest.apps.getInstallation({ installation_id: id }))).data;
  const found = destination === null ? await ours() : await installationOf(api, destination);
  if (found?.id === id) return permissionProblems(found);
  const { html_url: url } = await ours();
  return [
    `The App's installation does not include ${destination}. Select it under Repository access at ${url}, or check its name.`,
  ];
}

/** Returns the App's installation that includes the repository; `undefined` without one. */
async function installationOf(api: GithubApi, destination: string): Promise<Installation | undefined> {
  const at = repositoryOf(destination);
  try {
    return (await api.call(SUBJECT.place(destination), installation, ({ rest }) => rest.apps.getRepoInstallation(at)))
      .data;
  } catch (error) {
    if (error instanceof TrackerError && error.reason === "destination") return undefined;
    throw error;
  }
}

function permissionProblems({ permissions, suspended_at: suspendedAt, html_url: url }: Installation): string[] {
  if (suspendedAt) return [`The App's installation is suspended. Unsuspend it at ${url}.`];
  const issues = permissions?.issues ?? "none";
  if (issues === "write") return [];
  return [
    `The App is not allowed to write issues (its permission issues is "${issues}"). Set Issues to Read and write in the App's permissions, and accept the change at ${url}.`,
  ];
}
