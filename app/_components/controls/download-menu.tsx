"use client";
import { ActionIcon, Menu } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import type { ListFormat } from "@/server/platform/schemas";

const FORMAT_WORDS: Record<ListFormat, string> = { csv: "CSV", jsonl: "JSON Lines" };

type Props = {
  /** The rows' name in the plural, such as "conversations". */
  what: string;
  /** The address of all rows that the list shows, as a file. */
  hrefOf: (format: ListFormat) => string;
};

/** Downloads a list, with its filters, in the format that is chosen. */
export const DownloadMenu = ({ what, hrefOf }: Props) => (
  <Menu position="bottom-end">
    <Menu.Target>
      <ActionIcon variant="default" size={30} aria-label={`Download these ${what}`} title={`Download these ${what}`}>
        <IconDownload size={16} aria-hidden />
      </ActionIcon>
    </Menu.Target>
    <Menu.Dropdown>
      {(Object.keys(FORMAT_WORDS) as ListFormat[]).map((format) => (
        <Menu.Item key={format} component="a" href={hrefOf(format)} download>
          {FORMAT_WORDS[format]}
        </Menu.Item>
      ))}
    </Menu.Dropdown>
  </Menu>
);
