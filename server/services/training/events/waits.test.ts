import { expect, test } from "vitest";
import { leaseInput } from "@/server/services/trainers/agents/lease-commands";
import { listEventsInput } from "./schemas";

/** Proxies end a request after 60 s. */
const LONGEST_SECONDS = 55;

test("a wait longer than proxies allow is refused", () => {
  const waits = (wait: number) => listEventsInput.safeParse({ jobId: "job_1", wait }).success;
  const leases = (wait_seconds: number) => leaseInput.safeParse({ wait_seconds }).success;
  expect([waits(25), leases(50)]).toEqual([true, true]);
  expect([waits(LONGEST_SECONDS + 1), leases(LONGEST_SECONDS + 1)]).toEqual([false, false]);
});
