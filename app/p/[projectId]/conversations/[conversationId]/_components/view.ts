import { parseAsString, parseAsStringLiteral, useQueryStates } from "nuqs";

const TABS = ["transcript", "cost", "spans"] as const;
export const SHAPES = ["tree", "flame"] as const;
export type Shape = (typeof SHAPES)[number];

/** What the Spans tab shows: a trace, in a shape, with a span open and text searched for. */
export type SpansView = { trace: string | null; span: string | null; shape: Shape; find: string };

export type ConversationView = ReturnType<typeof useConversationView>;

/** Returns the state of the conversation's page from the URL, and functions that change it. */
export function useConversationView() {
  const [{ tab, ...spans }, show] = useQueryStates({
    tab: parseAsStringLiteral(TABS).withDefault("transcript"),
    trace: parseAsString,
    span: parseAsString,
    shape: parseAsStringLiteral(SHAPES).withDefault("tree"),
    find: parseAsString.withDefault(""),
  });
  return {
    tab,
    spans,
    show: (next: Partial<SpansView>) => void show(next),
    showSpan: (id: string) => void show({ tab: "spans", trace: null, span: id }),
    showTab: (name: string | null) => void show({ tab: TABS.find((known) => known === name) ?? "transcript" }),
    showTabBeside: (by: 1 | -1) =>
      void show({ tab: TABS[(TABS.indexOf(tab) + by + TABS.length) % TABS.length] ?? "transcript" }),
  };
}
