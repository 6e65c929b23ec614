import type { InstallationRight, Role } from "@/server/platform/capabilities";

/** The shell's data about the project and the signed-in person. */
export type ShellProject = { id: string; name: string; role: Role };
export type ShellUser = {
  id: string;
  email: string;
  name: string | null;
  /** The person's rights outside any project. */
  rights: readonly InstallationRight[];
};
