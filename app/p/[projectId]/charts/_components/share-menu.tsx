import { Button, Menu } from "@mantine/core";
import { useClipboard } from "@mantine/hooks";
import { notifications } from "@mantine/notifications";
import { IconShare2 } from "@tabler/icons-react";
import type { RefObject } from "react";
import { pngOf } from "./png";

type Props = {
  /** The address of the chart with its days as they are now. */
  linkHref: string;
  /** The address of the numbers as a file. */
  csvHref: string;
  /** What contains the chart and its legend. */
  picture: RefObject<HTMLElement | null>;
  title: string;
  subtitle: string;
};

/** Copies a link to the chart, or downloads it as numbers or as an image. */
export function ShareMenu({ linkHref, csvHref, picture, title, subtitle }: Props) {
  const clipboard = useClipboard();
  const copyLink = () => {
    clipboard.copy(new URL(linkHref, window.location.href).href);
    notifications.show({ message: "Copied a link that shows these days whenever it is opened" });
  };
  const savePng = async () => {
    const svg = picture.current?.querySelector<SVGSVGElement>("svg.recharts-surface");
    if (!svg) return;
    const legend = [...(picture.current?.querySelectorAll("[data-legend] li") ?? [])].map((entry) => ({
      label: entry.textContent ?? "",
      color: getComputedStyle(entry.firstElementChild ?? entry).backgroundColor,
    }));
    try {
      save(await pngOf({ svg, title, subtitle, legend }), `${title}.png`);
    } catch {
      notifications.show({ color: "red", message: "The image could not be drawn. Download the numbers as CSV." });
    }
  };
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" leftSection={<IconShare2 size={14} aria-hidden />}>
          Share
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={copyLink}>Copy link to these days</Menu.Item>
        <Menu.Item component="a" href={csvHref} download>
          Download numbers (CSV)
        </Menu.Item>
        <Menu.Item onClick={() => void savePng()}>Download image (PNG)</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

function save(blob: Blob, fileName: string) {
  const href = URL.createObjectURL(blob);
  const link = Object.assign(document.createElement("a"), {
    href,
    download: fileName.replaceAll(/[\\/:*?"<>|]/g, "-"),
  });
  link.click();
  URL.revokeObjectURL(href);
}
