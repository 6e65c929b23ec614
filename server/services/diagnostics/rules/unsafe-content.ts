import { UNSAFE_CONTENT_DETECTORS } from "../detectors";
import type { Rule } from "../types";

export const unsafeContent: Rule = {
  id: "unsafe-content",
  version: 2,
  name: "Unsafe content",
  summary:
    "Injected instructions and whether they were followed, jailbreak attempts, and secrets, personal data or the system prompt in answers.",
  detectors: UNSAFE_CONTENT_DETECTORS,
};
