import type { InstallationRight, Role } from "@/server/platform/capabilities";

/** What the shell shows of a project and of whoever is signed in. */
export type ShellProject = { id: string; name: string; role: Role };
export type ShellUser = {
  id: string;
  email: string;
  name: string | null;
  /** What they may do outside any project. */
  rights: readonly InstallationRight[];
};
