"use client";
import { IconLock } from "@tabler/icons-react";
import { EmptyState } from "@/app/_components/feedback/empty-state";
import { PageHeader } from "@/app/_components/layout/page-header";

export const ForOwners = () => (
  <>
    <PageHeader title="People" />
    <EmptyState icon={<IconLock size={32} stroke={1.5} aria-hidden />} title="For owners of the installation only">
      An owner of the installation can make you one, and so can whoever runs the server.
    </EmptyState>
  </>
);
