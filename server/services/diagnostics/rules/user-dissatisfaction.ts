import { USER_DISSATISFACTION_DETECTORS } from "../detectors";
import type { BuiltIn } from "../types";

export const userDissatisfaction: BuiltIn = {
  version: 2,
  summary: "Users who are annoyed, rate an answer badly, have to ask again, want a person, or leave after a failure.",
  detectors: USER_DISSATISFACTION_DETECTORS,
};
