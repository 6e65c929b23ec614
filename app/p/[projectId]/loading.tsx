import { Skeleton } from "@mantine/core";
import { TableSkeleton } from "@/app/_components/data-table/table-skeleton";
import { PageHeader } from "@/app/_components/layout/page-header";

export default function Loading() {
  return (
    <>
      <PageHeader title={<Skeleton component="span" display="block" height={14} width={140} />} />
      <TableSkeleton />
    </>
  );
}
