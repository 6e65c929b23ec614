import type { Metadata } from "next";
import { Account } from "./_components/account";

export const metadata: Metadata = { title: "Account" };

export default async function AccountPage({ params }: { params: Promise<{ projectId: string }> }) {
  const { projectId } = await params;
  return <Account projectId={projectId} />;
}
