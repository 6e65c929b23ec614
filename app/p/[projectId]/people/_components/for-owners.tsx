"use client";
import { IconLock } from "@tabler/icons-react";
import { EmptyState } from "@/app/_components/feedback/empty-state";
import { PageHeader } from "@/app/_components/layout/page-header";

export const ForOwners = () => (
  <>
    <PageHeader title="People" />
    <EmptyState icon={IconLock} title="For owners of the installation only">
      An owner or the operator of the installation can make you an owner.
    </EmptyState>
  </>
);
