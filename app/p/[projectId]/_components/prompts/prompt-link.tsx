"use client";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useTRPC } from "@/app/_lib/trpc/client";
import { type PromptReference, promptText } from "@/server/services/telemetry/schemas";
import { isPromptName, promptHref } from "./hrefs";

/** The prompt that a call was made from, as a link if the project has one of that name. */
export function PromptLink({ projectId, prompt }: { projectId: string; prompt: PromptReference }) {
  const trpc = useTRPC();
  const { data } = useQuery(
    trpc.prompts.versions.queryOptions(
      { projectId, promptName: prompt.name, limit: 1 },
      { enabled: isPromptName(prompt.name), retry: false, staleTime: 60_000 },
    ),
  );
  const words = promptText(prompt);
  if (!data) return <span className="mono">{words}</span>;
  const version = Number(prompt.version);
  const isOurs = Number.isInteger(version) && version >= 1 && version <= data.latestVersion;
  return (
    <Link className="mono" href={promptHref(projectId, prompt.name, isOurs ? version : undefined)}>
      {words}
    </Link>
  );
}
