/** The events of a conversation, in order. */
export type Line =
  | { user: string }
  /** A tool call of the agent with its result. */
  | { tool: string; args: Record<string, unknown>; result: string; isError?: boolean }
  /** An answer; `finish` is why the model stopped. */
  | { say: string; finish?: string }
  /** A model call that the provider refused; the agent repeats it. */
  | { refused: { type: string; message: string } };

export type Script = readonly Line[];
