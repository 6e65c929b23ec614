import { Button, Skeleton, Stack } from "@mantine/core";
import Link from "next/link";
import { PageHeader } from "@/app/_components/layout/page-header";
import { problemOf } from "@/app/_lib/problem";
import { EmptyState } from "./empty-state";
import { ErrorState } from "./error-state";

type Props = {
  /** One word that begins a sentence, such as `Variant`. */
  what: string;
  icon: React.ComponentProps<typeof EmptyState>["icon"];
  /** Where to look instead. */
  list: { href: string; label: string };
  /** Why it may be missing. */
  because?: string;
  query: { error: unknown; isFetching: boolean; refetch: () => unknown };
};

const WIDTHS = [40, 90, 70, 80, 60];

/** The page of something that is loading, does not exist, or could not be read. */
export function WithoutThing({
  what,
  icon,
  list,
  because = "It was deleted, or belongs to another project.",
  query,
}: Props) {
  if (problemOf(query.error).status === 404) {
    return (
      <>
        <PageHeader title={what} />
        <EmptyState
          icon={icon}
          title={`${what} not found`}
          action={
            <Button component={Link} href={list.href}>
              {list.label}
            </Button>
          }
        >
          {because}
        </EmptyState>
      </>
    );
  }
  if (query.error) {
    return (
      <>
        <PageHeader title={what} />
        <ErrorState error={query.error} onRetry={() => void query.refetch()} retrying={query.isFetching} />
      </>
    );
  }
  return (
    <Stack p="md" gap="lg" role="status" aria-label={`Loading the ${what.toLowerCase()}`}>
      {WIDTHS.map((width) => (
        <Skeleton key={width} height={14} width={`${width}%`} />
      ))}
    </Stack>
  );
}
