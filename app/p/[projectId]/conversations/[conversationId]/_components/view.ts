import { parseAsString, parseAsStringLiteral, useQueryStates } from "nuqs";

const TABS = ["transcript", "cost", "spans"] as const;

export type ConversationView = ReturnType<typeof useConversationView>;

/** Returns the state of the conversation's page from the URL, and functions that change it. */
export function useConversationView() {
  const [{ tab, trace, span }, show] = useQueryStates({
    tab: parseAsStringLiteral(TABS).withDefault("transcript"),
    trace: parseAsString,
    span: parseAsString,
  });
  return {
    tab,
    trace,
    span,
    show: (next: { trace?: string | null; span?: string | null }) => void show(next),
    showSpan: (id: string) => void show({ tab: "spans", trace: null, span: id }),
    showTab: (name: string | null) => void show({ tab: TABS.find((known) => known === name) ?? "transcript" }),
    showTabBeside: (by: 1 | -1) =>
      void show({ tab: TABS[(TABS.indexOf(tab) + by + TABS.length) % TABS.length] ?? "transcript" }),
  };
}
