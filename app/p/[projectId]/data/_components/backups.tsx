"use client";
import { Table, Text } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { CopyButton } from "@/app/_components/controls/copy-button";
import { ListFrame, ListRow, ROOMY } from "@/app/_components/layout/list-frame";
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
const COLUMNS = [
  { label: "As of" },
  { label: "What" },
  { label: "Proved" },
  { label: "Secret", roomy: true },
  { label: "Rows", roomy: true },
  { label: "Size" },
  { label: "SHA-256", roomy: true },
];
const DIGITS_SHOWN = 12;

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
      <ListFrame
        label="Backups"
        what="entry"
        columns={COLUMNS}
        minWidth={340}
        list={list}
        count={backups.length}
        keys={false}
        empty={
          <Text px="md" size="sm">
            No backup is known here. One that was made with other tools is not known either.
          </Text>
        }
      >
        {backups.map((backup, index) => (
          <BackupRow key={backup.id} backup={backup} index={index} />
        ))}
      </ListFrame>
      <HowTo />
    </>
  );
}

const BackupRow = ({ backup, index }: { backup: Backup; index: number }) => (
  <ListRow index={index}>
    <Table.Td>
      <Ago at={backup.takenAt} />
    </Table.Td>
    <Table.Td>{KINDS[backup.kind]}</Table.Td>
    <Table.Td>
      {backup.verifiedAt === null ? (
        <Dot color="var(--severity-medium)" hollow>
          Not read again
        </Dot>
      ) : (
        <Dot color="var(--state-ok)">Whole</Dot>
      )}
    </Table.Td>
    <Table.Td {...ROOMY}>{backup.withSecret ? "In it, sealed" : "Not in it"}</Table.Td>
    <Table.Td className="tabular" {...ROOMY}>
      {formatCount(backup.rows)}
    </Table.Td>
    <Table.Td className="tabular">{formatBytes(backup.bytes)}</Table.Td>
    <Table.Td {...ROOMY}>
      <span className="mono" title={backup.checksum}>
        {backup.checksum.slice(0, DIGITS_SHOWN)}…
      </span>{" "}
      <CopyButton value={backup.checksum} label="Copy SHA-256" />
    </Table.Td>
  </ListRow>
);

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
