/** A failed tool's message. `[start, end)` is its range in the result. */
export type ToolFailureText = {
  /** 0..1: the confidence that this text reports a failure, and is not a document about one. */
  score: number;
  /** The sentence that says what went wrong, unescaped. */
  message: string;
  start: number;
  end: number;
};

/** At and above this, a reading is a `match`; below it, `ambiguous`. Measured on tau2, tau1, AgentDojo and AgentRx. */
export const FAILURE_MATCH_SCORE = 0.7;

/** Scores by kind of wording: the rarer it is outside failures, the higher. */
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

/** Characters. Longer messages are truncated: the rest is detail. */
export const MESSAGE_LIMIT = 300;
