import type { Metadata } from "next";
import { AuditLog } from "./_components/audit-log";

export const metadata: Metadata = { title: "Audit log" };

export default async function AuditPage({ params }: { params: Promise<{ projectId: string }> }) {
  const { projectId } = await params;
  return <AuditLog projectId={projectId} />;
}
