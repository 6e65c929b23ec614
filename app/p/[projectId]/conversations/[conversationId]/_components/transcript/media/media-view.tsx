"use client";
import { Button } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { useEffect, useMemo, useState } from "react";
import { JsonView } from "@/app/_components/values/json-view";
import { formatBytes } from "@/app/_lib/format";
import type { MessagePart } from "@/server/services/telemetry/schemas";
import { bytesOf, formatOf, type Media, SHOWN_BYTES_MAX, type ShownFormat, sizeOf } from "./media-of";
import classes from "./media-view.module.css";

type Props = { media: Media; part: MessagePart };

/** A file in a message: an image or audio that was sent with it is shown, another file is downloaded, an address is text. */
export function MediaView({ media, part }: Props) {
  if (media.kind === "inline") return <InlineFile media={media} />;
  return (
    <div className={classes.root}>
      {media.kind === "foreign" ? (
        <div className={classes.about}>
          Sent as an address, which is not loaded from here: <span className={classes.address}>{media.url}</span>
        </div>
      ) : (
        <div className={classes.about}>
          {[media.name, media.type].filter(Boolean).join(", ") || "A file"}: only its beginning was stored, because it
          was too long
        </div>
      )}
      <details className={classes.sent}>
        <summary>
          Part of type <span className="mono">{part.type}</span>
        </summary>
        <JsonView value={part} label={`part of type ${part.type}`} />
      </details>
    </div>
  );
}

type Opened = { url: string; format: ShownFormat | null };

function InlineFile({ media: { base64, type, name } }: { media: Extract<Media, { kind: "inline" }> }) {
  const isLarge = sizeOf(base64) > SHOWN_BYTES_MAX;
  const opened = useOpened(base64, !isLarge);
  const format = opened?.format ?? null;
  const [isBroken, setBroken] = useState(false);
  const what = [name, format?.word ?? type, formatBytes(sizeOf(base64))].filter(Boolean).join(" · ");
  const isImage = format?.type.startsWith("image/") && !isBroken;
  const isAudio = format?.type.startsWith("audio/") && !isBroken;
  return (
    <figure className={classes.root}>
      {isImage ? (
        // biome-ignore lint/performance/noImgElement: it has no address that could be optimized
        <img className={classes.image} src={opened?.url} alt={what} onError={() => setBroken(true)} />
      ) : null}
      {isAudio ? (
        // biome-ignore lint/a11y/useMediaCaption: nobody sent captions
        <audio controls preload="metadata" src={opened?.url} aria-label={what} onError={() => setBroken(true)} />
      ) : null}
      <figcaption className={classes.about}>
        {what}
        {isLarge ? ", too large to show" : isBroken ? ", which the browser cannot show" : ""}
        <Download base64={base64} name={name ?? `file.${format?.extension ?? "bin"}`} />
      </figcaption>
    </figure>
  );
}

/** Returns the bytes as an address of this page's own; `null` until the page's script has run, and if it may not be opened. */
function useOpened(base64: string, may: boolean): Opened | null {
  const [opened, setOpened] = useState<Opened | null>(null);
  useEffect(() => {
    const bytes = may ? bytesOf(base64) : null;
    if (!bytes) return;
    const format = formatOf(bytes);
    if (!format) return;
    const url = URL.createObjectURL(new Blob([bytes], { type: format.type }));
    setOpened({ url, format });
    return () => {
      setOpened(null);
      URL.revokeObjectURL(url);
    };
  }, [base64, may]);
  return opened;
}

const Download = ({ base64, name }: { base64: string; name: string }) => {
  const isValid = useMemo(() => /^[\w+/-]+={0,2}$/.test(base64.slice(0, 1024).replace(/[\r\n]+/g, "")), [base64]);
  if (!isValid) return ", which is not valid base64";
  return (
    <Button
      variant="subtle"
      size="compact-xs"
      leftSection={<IconDownload size={12} aria-hidden />}
      onClick={() => save(base64, name)}
    >
      Download
    </Button>
  );
};

/** Saves the bytes. Their type is that of no document, so that the browser can only store them. */
function save(base64: string, name: string) {
  const bytes = bytesOf(base64);
  if (!bytes) return;
  const url = URL.createObjectURL(new Blob([bytes], { type: "application/octet-stream" }));
  const link = Object.assign(document.createElement("a"), { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
