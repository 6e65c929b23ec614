import { createLoader, createSerializer, type ParserMap } from "nuqs/server";

/** The parameters of a page that a view consists of; the open row is none. */
export type ViewParsers = ParserMap;

const without = ({ peek: _, ...parsers }: ViewParsers): ViewParsers => parsers;

const inOrder = (search: string) => new URLSearchParams([...new URLSearchParams(search)].sort()).toString();

/** Returns a page's state as a view's query string: without defaults, and the same text for the same state. */
export const queryOf = (parsers: ViewParsers, view: Record<string, unknown>): string =>
  inOrder(createSerializer(without(parsers))(view as never));

/**
 * Returns the page's state that a stored query string means, each parameter read as the page reads its address: what the
 * page does not know, or no longer does, is left out.
 */
export const stateOf = (parsers: ViewParsers, query: string) =>
  createLoader(without(parsers))(new URLSearchParams(query)) as Record<string, unknown>;

/** Returns a stored query string as today's page would write it. */
export const currentForm = (parsers: ViewParsers, query: string): string => queryOf(parsers, stateOf(parsers, query));
