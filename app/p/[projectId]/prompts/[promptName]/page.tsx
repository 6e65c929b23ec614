import type { Metadata } from "next";
import { headers } from "next/headers";
import type { SearchParams } from "nuqs/server";
import { nextPage } from "@/app/_lib/trpc/next-page";
import { Hydrate, prefetch, trpc } from "@/app/_lib/trpc/server";
import { originOf } from "@/server/auth/origin";
import { OnlyFor } from "../../_components/access/only-for";
import { PromptPage } from "./_components/prompt-page";
import { loadView, usageInput, versionsInput } from "./_components/view";

type Props = { params: Promise<{ projectId: string; promptName: string }>; searchParams: Promise<SearchParams> };

/** Next leaves a segment encoded. */
const nameOf = async (params: Props["params"]) => decodeURIComponent((await params).promptName);

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  return { title: `${await nameOf(params)} · Prompt` };
}

export default async function Page({ params, searchParams }: Props) {
  const [{ projectId }, promptName, view] = await Promise.all([params, nameOf(params), loadView(searchParams)]);
  const now = Date.now();
  await Promise.all([
    prefetch(trpc.prompts.versions.infiniteQueryOptions(versionsInput(projectId, promptName), nextPage)),
    prefetch(trpc.prompts.usage.queryOptions(usageInput(projectId, promptName, view, now))),
  ]);
  return (
    <Hydrate>
      <OnlyFor capability="workspace:read" title="Prompt">
        <PromptPage
          projectId={projectId}
          promptName={promptName}
          openedAt={now}
          url={`${originOf(await headers())}/v1/projects/${projectId}/prompts/${promptName}`}
        />
      </OnlyFor>
    </Hydrate>
  );
}
