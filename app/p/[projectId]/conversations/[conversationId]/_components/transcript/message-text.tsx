"use client";
import { UnstyledButton } from "@mantine/core";
import { useState } from "react";
import { formatCount } from "@/app/_lib/format";
import { segmentsOf } from "./marks";
import classes from "./transcript.module.css";

type Props = { text: string; ranges?: readonly (readonly [number, number])[]; limit?: number; mono?: boolean };

const SHOWN = 1600;

/** Text as sent, never as markup: long text truncated (but not before a quote), quotes marked. */
export function MessageText({ text, ranges = [], limit = SHOWN, mono = false }: Props) {
  const lastQuote = Math.max(0, ...ranges.map(([, end]) => end));
  const cut = lastQuote > limit ? lastQuote + 200 : limit;
  const [whole, setWhole] = useState(false);
  const long = text.length > cut + 200;
  const shown = long && !whole ? text.slice(0, cut) : text;
  return (
    <>
      <div className={mono ? classes.code : classes.text}>
        {segmentsOf(shown, ranges).map((segment, index) =>
          segment.marked ? (
            // biome-ignore lint/suspicious/noArrayIndexKey: segments of one text keep their order
            <mark key={index}>{segment.text}</mark>
          ) : (
            segment.text
          ),
        )}
        {long && !whole ? "…" : null}
      </div>
      {long ? (
        <UnstyledButton className={classes.more} aria-expanded={whole} onClick={() => setWhole(!whole)}>
          {whole ? "Show less" : `Show all ${formatCount(text.length)} characters`}
        </UnstyledButton>
      ) : null}
    </>
  );
}
