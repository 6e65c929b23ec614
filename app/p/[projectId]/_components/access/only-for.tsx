"use client";
import { IconLock } from "@tabler/icons-react";
import { EmptyState } from "@/app/_components/feedback/empty-state";
import { PageHeader } from "@/app/_components/layout/page-header";
import type { Capability } from "@/server/platform/capabilities";
import { useMay, useRole } from "./membership";
import { ROLE_WORDS, whoMay } from "./role-words";

type Props = { capability: Capability; title: string; children: React.ReactNode };

/** A page for readers with a capability; others are told who can see it. Updates live with the reader's role. */
export function OnlyFor({ capability, title, children }: Props) {
  const role = useRole();
  const may = useMay(capability);
  if (may) return children;
  return (
    <>
      <PageHeader title={title} />
      <EmptyState icon={IconLock} title={`For ${whoMay(capability)} only`}>
        You are {ROLE_WORDS[role].one} here. An owner can change that.
      </EmptyState>
    </>
  );
}
