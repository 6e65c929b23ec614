import { Text } from "@mantine/core";
import type { ListColumn } from "@/app/_components/data-table/types";
import { Ago } from "@/app/_components/values/ago";
import { Dot } from "@/app/_components/values/dot";
import { type Alert, limitWords, measureWords } from "@/server/services/notifications/alerts/schemas";
import type { RuleChange } from "../../integrations/_components/rule-controls";
import { AlertControls } from "./alert-controls";
import { ReadingLine } from "./reading-line";
import { standingOf } from "./state-words";

type Options = {
  projectId: string;
  channelsOf: (alert: Alert) => string;
  /** For readers who may change alerts. */
  change: RuleChange<Alert> | undefined;
};

const Standing = ({ alert }: { alert: Alert }) => {
  const { word, color } = standingOf(alert);
  return <Dot color={color}>{word}</Dot>;
};

export const alertColumns = ({ projectId, channelsOf, change }: Options): ListColumn<Alert>[] => [
  {
    id: "name",
    header: "Alert",
    accessorFn: ({ name }) => name,
    meta: { link: true },
    cell: ({ row: { original } }) => (
      <>
        <b>{original.name}</b>
        <Text size="xs" c="dimmed" className="clip">
          {measureWords(original)}, fires {limitWords(original)}
        </Text>
        <Text size="xs" hiddenFrom="sm" component="div">
          <Standing alert={original} /> <ReadingLine alert={original} />
        </Text>
      </>
    ),
  },
  {
    id: "state",
    header: "State",
    meta: { roomy: true, width: "8.5rem" },
    cell: ({ row }) => <Standing alert={row.original} />,
  },
  {
    id: "now",
    header: "Last evaluation",
    meta: { roomy: true, width: "22rem", aside: true },
    cell: ({ row }) => <ReadingLine alert={row.original} />,
  },
  {
    id: "channels",
    header: "Sent to",
    meta: { wide: true, width: "12rem", aside: true },
    cell: ({ row }) => channelsOf(row.original),
  },
  {
    id: "changed",
    header: "Changed",
    accessorFn: ({ updatedAt }) => updatedAt,
    meta: { wide: true, width: "7rem", align: "end", aside: true },
    cell: ({ row }) => <Ago at={row.original.updatedAt} />,
  },
  {
    id: "actions",
    header: "",
    meta: { controls: true, label: "Actions", width: "6rem" },
    cell: ({ row }) => <AlertControls projectId={projectId} alert={row.original} change={change} />,
  },
];
