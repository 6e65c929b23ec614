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
    header: "Verified",
    cell: ({ row }) =>
      row.original.verifiedAt === null ? (
        <Dot color="var(--severity-medium)" hollow>
          Not verified
        </Dot>
      ) : (
        <Dot color="var(--state-ok)">Verified</Dot>
      ),
  },
  {
    id: "secret",
    header: "Secret",
    meta: { roomy: true },
    cell: ({ row }) => (row.original.withSecret ? "Included, encrypted" : "Not included"),
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
    label: "Create one",
    command: "npx whetstone backup --to whetstone.tar",
    says: "A consistent snapshot, taken while people work. It is read back afterwards to verify it.",
  },
  {
    label: "Create one that includes the secret, encrypted",
    command: "npx whetstone backup --to whetstone.tar --passphrase-file passphrase.txt",
    says: "API keys in a backup don’t work without WHETSTONE_SECRET: store it separately, or include it like this.",
  },
  {
    label: "Restore one to a new installation",
    command: "npx whetstone restore --from whetstone.tar",
    says: "Add --passphrase-file if it includes the secret. The command refuses an installation that already has a person or a project.",
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
            No known backups. Backups made with other tools are not listed.
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
      A backup contains the whole installation, with all its projects. Create it on the machine that runs Whetstone, in
      Whetstone’s folder. Data deleted here is still in existing backups until they expire.
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
