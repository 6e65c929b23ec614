/** Where an assembler keeps the texts of messages and tool calls. */
export type TextStore = {
  /** Stores a text and returns what stands for it: the text itself, or a reference that no other text contains. */
  put(text: string): string;
  /** Returns the string with every reference in it replaced by its text. */
  get(text: string): string;
};

export const IN_MEMORY: TextStore = { put: (text) => text, get: (text) => text };
