import { USER_DISSATISFACTION_DETECTORS } from "../detectors";
import type { Rule } from "../types";

export const userDissatisfaction: Rule = {
  id: "user-dissatisfaction",
  version: 2,
  name: "User dissatisfaction",
  summary: "Users who are annoyed, rate an answer badly, have to ask again, want a person, or leave after a failure.",
  detectors: USER_DISSATISFACTION_DETECTORS,
};
