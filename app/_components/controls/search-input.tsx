"use client";
import { CloseButton, Kbd, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { IconSearch } from "@tabler/icons-react";
import { useEffect, useRef, useState } from "react";
import { useKeys } from "@/app/_lib/use-keys";

type Props = { label: string; value: string; onChange: (value: string) => void; width?: number };

/** Searches while typing, debounced; `/` focuses it, Escape leaves it. */
export function SearchInput({ label, value, onChange, width = 260 }: Props) {
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(value);
  const changeLater = useDebouncedCallback(onChange, 250);
  useEffect(() => setText(value), [value]);
  useKeys({
    "/": (event) => {
      event.preventDefault();
      input.current?.focus();
    },
  });
  const change = (next: string) => {
    setText(next);
    changeLater(next);
  };
  const clear = () => {
    change("");
    changeLater.flush();
  };
  return (
    <TextInput
      ref={input}
      size="xs"
      w={{ base: "100%", xs: width }}
      aria-label={label}
      placeholder={label}
      value={text}
      leftSection={<IconSearch size={14} aria-hidden />}
      rightSection={
        text ? (
          <CloseButton size="xs" aria-label="Clear search" onClick={clear} />
        ) : (
          <Kbd size="xs" aria-hidden>
            /
          </Kbd>
        )
      }
      onChange={(event) => change(event.currentTarget.value)}
      // If it fired later, it would overwrite the URL that the person navigates to.
      onBlur={() => changeLater.flush()}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        if (text) clear();
        else input.current?.blur();
      }}
    />
  );
}
