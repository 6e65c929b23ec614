/** What the shell shows of a project and of whoever is signed in. */
export type ShellProject = { id: string; name: string; role: string };
export type ShellUser = { id: string; email: string; name: string | null };
