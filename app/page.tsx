import { cookies } from "next/headers";
import { redirect } from "next/navigation";
import { currentSession } from "@/server/auth/current-session";
import { EntryCard } from "./_components/entry/entry-card";
import { ResetNotice } from "./_components/feedback/reset-notice";
import { CreateFirstProject } from "./_components/projects/create-first-project";
import { LAST_PROJECT } from "./_lib/last-project";
import { api } from "./_lib/trpc/server";

/** Redirects to the set-up, to sign-in, or to the project viewed last. */
export default async function Home() {
  const trpc = await api();
  const session = await currentSession();
  if (!session) {
    const { needed } = await trpc.setup.status();
    if (needed) {
      return (
        <EntryCard title="Open the setup link">
          Nobody has an account here yet. When Whetstone started it printed a one-time link, such as{" "}
          <span className="mono">/setup#token=…</span>, in its terminal: the first person to open it becomes the owner.
          It works for 24 hours; create a new one on the server: <span className="mono">npx whetstone setup-link</span>
        </EntryCard>
      );
    }
    redirect("/sign-in");
  }
  const { projects } = await trpc.projects.list();
  const last = (await cookies()).get(LAST_PROJECT)?.value;
  const project =
    projects.find(({ id }) => id === last) ?? projects.find(({ sample }) => sample === null) ?? projects[0];
  if (project) redirect(`/p/${project.id}`);
  const { passwordReset, rights } = await trpc.account.me();
  return (
    <EntryCard title="No project yet">
      <ResetNotice reset={passwordReset} />
      <CreateFirstProject may={rights.includes("projects:create")} />
    </EntryCard>
  );
}
