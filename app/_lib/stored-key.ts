const nameOf = (projectId: string) => `whetstone:key:${projectId}`;

/** Keeps a new key's secret for this tab only, until it has been shown in a snippet to copy. */
export function storeKey(projectId: string, secret: string) {
  sessionStorage.setItem(nameOf(projectId), secret);
}

export const storedKey = (projectId: string) =>
  typeof window === "undefined" ? null : sessionStorage.getItem(nameOf(projectId));
