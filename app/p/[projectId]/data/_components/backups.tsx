"use client";
import { Text } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { CopyButton } from "@/app/_components/controls/copy-button";
import { DataList } from "@/app/_components/data-table/data-list";
import type { ListColumn } from "@/app/_components/data-table/types";
import { ScrollPre } from "@/app/_components/layout/scroll-pre";
import { Ago } from "@/app/_components/values/ago";
import { Dot } from "@/app/_components/values/dot";
import { formatBytes, formatCount } from "@/app/_lib/format";
import { useTRPC } from "@/app/_lib/trpc/client";
import { nextPage } from "@/app/_lib/trpc/next-page";
import type { Backup } from "@/server/services/backups/schemas";
import classes from "./backups.module.css";
import { backupsInput } from "./view";

const KINDS: Record<Backup["kind"], string> = { backup: "Backup", restore: "Restored from" };
const DIGITS_SHOWN = 12;

const COLUMNS: ListColumn<Backup>[] = [
  {
    id: "of",
    header: "As of",
    accessorFn: ({ takenAt }) => takenAt,
    meta: { link: true },
    cell: ({ row }) => <Ago at={row.original.takenAt} />,
  },
  { id: "what", header: "What", accessorFn: ({ kind }) => KINDS[kind], cell: ({ row }) => KINDS[row.original.kind] },
  {
    id: "proved",
    header: "Proved",
    cell: ({ row }) =>
      row.original.verifiedAt === null ? (
        <Dot color="var(--severity-medium)" hollow>
          Not read again
        </Dot>
      ) : (
        <Dot color="var(--state-ok)">Whole</Dot>
      ),
  },
  {
    id: "secret",
    header: "Secret",
    meta: { roomy: true },
    cell: ({ row }) => (row.original.withSecret ? "In it, sealed" : "Not in it"),
  },
  {
    id: "rows",
    header: "Rows",
    accessorFn: ({ rows }) => rows,
    meta: { align: "end", roomy: true },
    cell: ({ row }) => <span className="tabular">{formatCount(row.original.rows)}</span>,
  },
  {
    id: "size",
    header: "Size",
    accessorFn: ({ bytes }) => bytes,
    meta: { align: "end" },
    cell: ({ row }) => <span className="tabular">{formatBytes(row.original.bytes)}</span>,
  },
  {
    id: "checksum",
    header: "SHA-256",
    meta: { roomy: true },
    cell: ({ row: { original } }) => (
      <>
        <span className="mono" title={original.checksum}>
          {original.checksum.slice(0, DIGITS_SHOWN)}…
        </span>{" "}
        <CopyButton value={original.checksum} label="Copy SHA-256" />
      </>
    ),
  },
];

/** Complete command lines, ready to paste. */
const LINES = [
  {
    label: "Make one",
    command: "npm run -s cli -- backup --to whetstone.tar",
    says: "While people work, as of one moment. It is read again afterwards, to prove it whole.",
  },
  {
    label: "Make one with the secret in it, sealed",
    command: "npm run -s cli -- backup --to whetstone.tar --passphrase-file passphrase.txt",
    says: "Without WHETSTONE_SECRET the API keys of a backup do not work: keep it apart, or take it along like this.",
  },
  {
    label: "Restore one into a fresh installation",
    command: "npm run -s cli -- restore --from whetstone.tar",
    says: "With --passphrase-file if the secret is in it. An installation with a person or a project in it is refused.",
  },
];

/** Lists the backups made by the command line, and shows how to make one. */
export function Backups({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const list = useInfiniteQuery(trpc.backups.list.infiniteQueryOptions(backupsInput(projectId), nextPage));
  const backups = list.data?.pages.flatMap((page) => page.backups) ?? [];
  return (
    <>
      <DataList
        embedded
        scope="backups"
        list={list}
        name="Backups"
        what="entry"
        columns={COLUMNS}
        rows={backups}
        rowId={({ id }) => id}
        rowName={({ kind }) => KINDS[kind]}
        minWidth={760}
        empty={
          <Text px="md" size="sm">
            No backup is known here. One that was made with other tools is not known either.
          </Text>
        }
      />
      <HowTo />
    </>
  );
}

const HowTo = () => (
  <div className={classes.how}>
    <Text size="sm">
      A backup is of the whole installation, with all its projects. It is made on the machine that Whetstone runs on, in
      its folder. What is deleted here is still in the backups of before: let them expire.
    </Text>
    {LINES.map(({ label, command, says }) => (
      <div key={command}>
        <Text size="sm" fw={500} mb={4}>
          {label}
        </Text>
        <div className={classes.line}>
          <ScrollPre label={label}>{command}</ScrollPre>
          <CopyButton value={command} label={`Copy: ${label.toLowerCase()}`} />
        </div>
        <Text size="xs" c="dimmed" mt={4}>
          {says}
        </Text>
      </div>
    ))}
  </div>
);
