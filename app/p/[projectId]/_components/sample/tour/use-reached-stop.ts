"use client";
import { z } from "zod";
import { useStored } from "@/app/_lib/use-stored";
import { STOPS } from "./stops";

const stop = z
  .int()
  .min(0)
  .max(STOPS.length - 1)
  .nullable();

/** Returns which stop of a sample's tour the reader has reached, from 0, in this browser; `null` before and after the tour. */
export const useReachedStop = (projectId: string) => useStored<number | null>(`tour:${projectId}`, stop, null);
