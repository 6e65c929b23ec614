const nameOf = (projectId: string) => `whetstone:key:${projectId}`;

/** A fresh key's secret, kept for this tab only: long enough to show it in a snippet that one copies. */
export function keepKey(projectId: string, secret: string) {
  sessionStorage.setItem(nameOf(projectId), secret);
}

export const keptKey = (projectId: string) =>
  typeof window === "undefined" ? null : sessionStorage.getItem(nameOf(projectId));
