import type { InstallationRight, Role } from "@/server/platform/capabilities";

/** The shell's data about the project and the signed-in person. */
export type ShellProject = {
  id: string;
  name: string;
  role: Role;
  /** The loading state of the sample, for the sample project; `null` for any other. */
  sample: "loading" | "ready" | "failed" | null;
};
export type ShellUser = {
  id: string;
  email: string;
  name: string | null;
  /** The person's rights outside any project. */
  rights: readonly InstallationRight[];
};
