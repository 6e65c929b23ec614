import { vi } from "vitest";
import * as environment from "@/env";

/** For tests that need an attached trainer: attaches one at which nothing is listening. Returns a function that detaches it. */
export function attachTrainer(): () => void {
  const real = environment.env();
  const spy = vi.spyOn(environment, "env").mockReturnValue({
    ...real,
    TRAINER_URL: "http://127.0.0.1:1",
    TRAINER_TOKEN: "x".repeat(20),
  });
  return () => spy.mockRestore();
}
