import { cookies } from "next/headers";
import { notFound, redirect } from "next/navigation";
import { ResetNotice } from "@/app/_components/feedback/reset-notice";
import { api } from "@/app/_lib/trpc/server";
import { currentSession } from "@/server/auth/current-session";
import { MembershipProvider } from "./_components/access/membership";
import { COLLAPSED_GROUPS, collapsedIn } from "./_components/shell/collapsed-groups";
import { RememberProject } from "./_components/shell/remember-project";
import { Shell } from "./_components/shell/shell";

type Props = { children: React.ReactNode; params: Promise<{ projectId: string }> };

export default async function ProjectLayout({ children, params }: Props) {
  const { projectId } = await params;
  const session = await currentSession();
  if (!session) redirect(`/sign-in?next=${encodeURIComponent(`/p/${projectId}`)}`);
  const trpc = await api();
  const [{ projects }, { passwordReset, rights }] = await Promise.all([trpc.projects.list(), trpc.account.me()]);
  if (!projects.some((project) => project.id === projectId)) notFound();
  const collapsed = collapsedIn((await cookies()).get(COLLAPSED_GROUPS)?.value);
  return (
    <MembershipProvider projectId={projectId} projects={projects} rights={rights}>
      <Shell projectId={projectId} user={{ ...session.user, rights }} collapsed={collapsed}>
        <ResetNotice reset={passwordReset} />
        <RememberProject projectId={projectId} />
        {children}
      </Shell>
    </MembershipProvider>
  );
}
