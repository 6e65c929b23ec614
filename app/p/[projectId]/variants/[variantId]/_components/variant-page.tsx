"use client";
import { Button, Menu } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconDots, IconVersions } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import Link from "next/link";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { WithoutThing } from "@/app/_components/feedback/without-thing";
import { BackLink } from "@/app/_components/layout/back-link";
import { PageHeader } from "@/app/_components/layout/page-header";
import { useListHref } from "@/app/_lib/remember-list";
import { useTRPC } from "@/app/_lib/trpc/client";
import { ESC, useKeys } from "@/app/_lib/use-keys";
import type { Variant } from "@/server/services/proof/variants/schemas";
import { useMay } from "../../../_components/access/membership";
import { ConfirmDialog } from "../../../_components/confirm/confirm-dialog";
import { Experiments } from "../../../_components/experiments/experiments";
import { StartExperiment } from "../../../_components/experiments/start-experiment";
import { CopyForAgent } from "../../../_components/sharing/copy-for-agent";
import { pageHref } from "../../../_components/shell/pages";
import { newVariantHref } from "../../../_components/variants/hrefs";
import { ProveVariant } from "../../../_components/variants/prove-variant";
import { HandOffAsTicket } from "./hand-off-as-ticket";
import { Proofs } from "./proofs";
import { SaveAsPrompt } from "./save-as-prompt";
import { VariantFacts } from "./variant-facts";
import classes from "./variant-page.module.css";

/** One version of a variant: what it changes, and what was proven of it. */
export function VariantPage({ projectId, variantId }: { projectId: string; variantId: string }) {
  const trpc = useTRPC();
  const router = useRouter();
  const query = useQuery(trpc.variants.get.queryOptions({ projectId, variantId }));
  const back = useListHref(pageHref(projectId, "variants"));
  useKeys({ [ESC]: () => router.push(back) });
  const variant = query.data?.variant;
  if (!variant) {
    const list = { href: pageHref(projectId, "variants"), label: "All variants" };
    return <WithoutThing what="Variant" icon={IconVersions} list={list} query={query} />;
  }
  return (
    <>
      <Header projectId={projectId} variant={variant} back={back} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard */}
      <section className={classes.body} tabIndex={0} aria-label="The variant, scrollable">
        <VariantFacts projectId={projectId} variant={variant} />
        <Proofs projectId={projectId} variantId={variantId} />
        <section aria-label="Experiments">
          <h2 className={classes.heading}>Experiments</h2>
          <Experiments
            projectId={projectId}
            of={{ variantId }}
            empty="It has not been tried on traffic yet. A share of an alias’s conversations can be answered with it, and compared with the others."
          />
        </section>
      </section>
    </>
  );
}

type HeaderProps = { projectId: string; variant: Variant; back: string };

function Header({ projectId, variant, back }: HeaderProps) {
  const trpc = useTRPC();
  const router = useRouter();
  const queries = useQueryClient();
  const may = useMay("models:manage");
  const [proving, setProving] = useState(false);
  const [saving, setSaving] = useState(false);
  const mayTry = useMay("project:models:manage");
  const [trying, setTrying] = useState(false);
  const [deleting, setDeleting] = useState(false);
  const { id: variantId, name, version, findingId } = variant;
  const remove = useMutation(
    trpc.variants.delete.mutationOptions({
      onSuccess: () => {
        notifications.show({ message: `Deleted version ${version} of “${name}”` });
        router.push(back);
      },
      onSettled: () => queries.invalidateQueries({ queryKey: trpc.variants.pathKey() }),
    }),
  );
  return (
    <>
      <PageHeader
        title={
          <span className={classes.title}>
            <BackLink href={back} label="All variants" />
            <span className="clip" dir="auto" title={name}>
              {name}
            </span>
          </span>
        }
        aside={
          <>
            {may ? <Button onClick={() => setProving(true)}>Prove…</Button> : null}
            <CopyForAgent
              read={() => queries.fetchQuery(trpc.variants.handOff.queryOptions({ projectId, variantId }))}
              what="the change with its evidence"
            />
            <HandOffAsTicket projectId={projectId} variant={variant} />
            {may ? (
              <Menu position="bottom-end">
                <Menu.Target>
                  <Button variant="default" px="xs" aria-label="More">
                    <IconDots size={16} aria-hidden />
                  </Button>
                </Menu.Target>
                <Menu.Dropdown>
                  <Menu.Item
                    component={Link}
                    href={newVariantHref(projectId, { from: variantId, ...fromOf(findingId) })}
                  >
                    New version…
                  </Menu.Item>
                  {variant.systemPrompt === null ? null : (
                    <Menu.Item onClick={() => setSaving(true)}>Save as a prompt…</Menu.Item>
                  )}
                  {mayTry && variant.baseModel === null ? (
                    <Menu.Item onClick={() => setTrying(true)}>Try on a share of traffic…</Menu.Item>
                  ) : null}
                  <Menu.Item color="red" onClick={() => setDeleting(true)}>
                    Delete…
                  </Menu.Item>
                </Menu.Dropdown>
              </Menu>
            ) : null}
          </>
        }
      >
        <span className={classes.version}>Version {version}</span>
      </PageHeader>
      <ProveVariant
        projectId={projectId}
        subject={proving ? { variantId, name, findingId } : null}
        onClose={() => setProving(false)}
      />
      <SaveAsPrompt projectId={projectId} subject={saving ? variant : null} onClose={() => setSaving(false)} />
      <StartExperiment
        projectId={projectId}
        subject={trying ? { variant: { id: variantId, name, version } } : null}
        onClose={() => setTrying(false)}
      />
      <ConfirmDialog
        subject={deleting ? variant : null}
        onClose={() => setDeleting(false)}
        title={() => `Delete version ${version} of “${name}”?`}
        says={() =>
          "Its proofs are deleted with it. Those that run are ended, and so are experiments with it. This cannot be undone."
        }
        action="Delete version"
        running={remove}
        onConfirm={() => remove.mutate({ projectId, variantId })}
      />
    </>
  );
}

const fromOf = (findingId: string | null) => (findingId === null ? {} : { finding: findingId });
