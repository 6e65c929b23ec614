import type { Metadata } from "next";
import { headers } from "next/headers";
import { Hydrate, prefetch, trpc } from "@/app/_lib/trpc/server";
import { originOf } from "@/server/auth/origin";
import { SendATrace } from "./_components/send-a-trace";

export const metadata: Metadata = { title: "Send a trace" };

export default async function SendATracePage({ params }: { params: Promise<{ projectId: string }> }) {
  const { projectId } = await params;
  await prefetch(trpc.telemetry.status.queryOptions({ projectId }));
  await prefetch(trpc.telemetry.refusals.queryOptions({ projectId }));
  const endpoint = `${originOf(await headers())}/v1/otlp`;
  return (
    <Hydrate>
      <SendATrace projectId={projectId} endpoint={endpoint} />
    </Hydrate>
  );
}
