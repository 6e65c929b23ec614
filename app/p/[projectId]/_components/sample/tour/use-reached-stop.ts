"use client";
import { useLocalStorage } from "@mantine/hooks";
import { z } from "zod";
import { STOPS } from "./stops";

const stop = z
  .int()
  .min(0)
  .max(STOPS.length - 1)
  .nullable();

/** Returns which stop of a sample's tour the reader has reached, from 0, in this browser; `null` before and after the tour. */
export const useReachedStop = (projectId: string) =>
  useLocalStorage<number | null>({
    key: `whetstone:tour:${projectId}`,
    defaultValue: null,
    deserialize: (text) => {
      try {
        return stop.parse(JSON.parse(text ?? "null"));
      } catch {
        return null; // of another version, or changed by hand
      }
    },
  });
