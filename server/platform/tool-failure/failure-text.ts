/** What a failed tool said. `[start, end)` is where, in the result it was read from. */
export type ToolFailureText = {
  /** 0..1: how surely this text is the report of a failure and not a document that speaks of one. */
  score: number;
  /** The sentence that says what went wrong, as the tool meant it (unescaped). */
  message: string;
  start: number;
  end: number;
};

/** At and above this, a reading is a `match`; below it, `ambiguous`. Measured on tau2, tau1, AgentDojo and AgentRx. */
export const FAILURE_MATCH_SCORE = 0.7;

/** What a way of saying so is worth, by how seldom anything else says it. */
export const SCORE = {
  declared: 0.95,
  exitCode: 0.95,
  traceback: 0.95,
  exception: 0.97,
  prefix: 0.96,
  opening: 0.9,
  http: 0.9,
  sentence: 0.8,
  business: 0.7,
  outcome: 0.5,
  mention: 0.4,
} as const;

/** Characters of a message that are kept: what follows is detail. */
export const MESSAGE_LIMIT = 300;
