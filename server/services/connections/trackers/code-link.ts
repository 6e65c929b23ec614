import type { CodeReference } from "./tracker";

/** Paths of commits and of pull requests at GitHub, GitLab, Bitbucket and Bitbucket Data Center, on any host. */
const PATHS: readonly [RegExp, CodeReference["kind"]][] = [
  [/\/(pull|pulls|pull-requests|merge_requests)\/\d+(\/|$)/, "pull_request"],
  [/\/commits?\/[0-9a-f]{7,64}(\/|$)/i, "commit"],
];

/** Returns what a link points to, if that is a commit or a pull request. */
export function codeLinkKind(url: string): CodeReference["kind"] | undefined {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) return undefined;
  const { pathname } = new URL(url);
  return PATHS.find(([path]) => path.test(pathname))?.[1];
}
