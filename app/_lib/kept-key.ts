const nameOf = (projectId: string) => `whetstone:key:${projectId}`;

/** Keeps a new key's secret for this tab only, until it has been shown in a snippet to copy. */
export function keepKey(projectId: string, secret: string) {
  sessionStorage.setItem(nameOf(projectId), secret);
}

export const keptKey = (projectId: string) =>
  typeof window === "undefined" ? null : sessionStorage.getItem(nameOf(projectId));
