import { vi } from "vitest";
import * as environment from "@/env";

/** Attaches a trainer that nobody listens as, for tests of what needs one to be attached. Returns a function that detaches it. */
export function attachTrainer(): () => void {
  const real = environment.env();
  const spy = vi.spyOn(environment, "env").mockReturnValue({
    ...real,
    TRAINER_URL: "http://127.0.0.1:1",
    TRAINER_TOKEN: "x".repeat(20),
  });
  return () => spy.mockRestore();
}
