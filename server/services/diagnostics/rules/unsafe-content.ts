import { UNSAFE_CONTENT_DETECTORS } from "../detectors";
import type { BuiltIn } from "../types";

export const unsafeContent: BuiltIn = {
  version: 2,
  summary:
    "Injected instructions and whether they were followed, jailbreak attempts, and secrets, personal data or the system prompt in answers.",
  detectors: UNSAFE_CONTENT_DETECTORS,
};
