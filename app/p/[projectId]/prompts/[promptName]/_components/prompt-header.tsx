"use client";
import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useQueryStates } from "nuqs";
import { useState } from "react";
import { BackLink } from "@/app/_components/layout/back-link";
import { PageHeader } from "@/app/_components/layout/page-header";
import { Ago } from "@/app/_components/values/ago";
import { plural } from "@/app/_lib/format";
import { useTRPC } from "@/app/_lib/trpc/client";
import { useMay } from "../../../_components/access/membership";
import { pageHref } from "../../../_components/shell/pages";
import { Labels } from "../../_components/labels";
import { PromptForm } from "../../_components/prompt-form";
import { KIND_WORDS } from "../../_components/words";
import { DeletePrompt } from "./delete-prompt";
import classes from "./prompt.module.css";
import { type Prompt, viewParsers } from "./view";

/** A prompt's name, where its labels point, and what can be done with it. */
export function PromptHeader({ projectId, prompt }: { projectId: string; prompt: Prompt }) {
  const trpc = useTRPC();
  const [, setView] = useQueryStates(viewParsers, { history: "replace" });
  const may = useMay("models:manage");
  const mayDelete = useMay("project:models:manage");
  const [writing, setWriting] = useState(false);
  const [deleting, setDeleting] = useState(false);
  const { name, kind, latestVersion, labels, updatedAt } = prompt;
  const latest = useQuery(
    trpc.prompts.get.queryOptions({ projectId, promptName: name, version: latestVersion }, { enabled: writing }),
  );
  return (
    <PageHeader
      title={
        <span className={classes.title}>
          <BackLink href={pageHref(projectId, "prompts")} label="All prompts" />
          <span className="clip mono" title={name}>
            {name}
          </span>
        </span>
      }
      aside={
        <>
          {mayDelete ? (
            <Button variant="default" onClick={() => setDeleting(true)}>
              Delete…
            </Button>
          ) : null}
          {may ? (
            <Button loading={writing && latest.isLoading} onClick={() => setWriting(true)}>
              New version
            </Button>
          ) : null}
        </>
      }
    >
      <div className={classes.facts}>
        <span>{KIND_WORDS[kind]}</span>
        <span>{plural(latestVersion, "version")}</span>
        {labels.length === 0 ? (
          <span>no labels: clients get the newest version</span>
        ) : (
          <Labels labels={labels.map(({ label, version }) => `${label} → ${version}`)} />
        )}
        <span>
          changed <Ago at={updatedAt} />
        </span>
      </div>
      <PromptForm
        projectId={projectId}
        opened={writing && latest.data !== undefined}
        base={latest.data ? { ...latest.data.prompt, latestVersion } : null}
        onClose={() => setWriting(false)}
        onSaved={({ version }) => {
          setWriting(false);
          void setView({ tab: null, peek: String(version) });
        }}
      />
      <DeletePrompt projectId={projectId} prompt={deleting ? prompt : null} onClose={() => setDeleting(false)} />
    </PageHeader>
  );
}
