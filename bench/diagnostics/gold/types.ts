import type { DiagnosedSignal, LabelledConversation } from "@/bench/labelled";

/** What a file's labels say about one Signal in one conversation. */
export type Gold = {
  present: boolean;
  /** Whether a detected Signal has the right evidence. By default every detection is right if the Signal is present. */
  correct?: (signal: DiagnosedSignal) => boolean;
  /** The kind of attack or task, where the labels name one: recall is printed per family too. */
  family?: string;
};

/** Reads the labels of a conversation; `null` where they do not cover the Signal. `file` is the file's name. */
export type ReadGold = (conversation: LabelledConversation, file: string) => Gold | null;

/** The gold labels of one Rule, by Signal: for conversations and, where labels are per message, for messages by index. */
export type RuleGold = {
  conversations: Readonly<Record<string, ReadGold>>;
  messages?: Readonly<
    Record<string, (conversation: LabelledConversation, file: string) => Map<number, boolean> | null>
  >;
};
