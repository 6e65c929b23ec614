import { createLoader, createSerializer, type ParserMap } from "nuqs/server";

/** The parameters of a page that make up a view; the open row is not one of them. */
export type ViewParsers = ParserMap;

const without = ({ peek: _, ...parsers }: ViewParsers): ViewParsers => parsers;

const inOrder = (search: string) => new URLSearchParams([...new URLSearchParams(search)].sort()).toString();

/** Returns a page's state as a view's query string: without defaults, and always the same string for the same state. */
export const queryOf = (parsers: ViewParsers, view: Record<string, unknown>): string =>
  inOrder(createSerializer(without(parsers))(view as never));

/**
 * Returns the page's state for a stored query string, with each parameter parsed as the page parses its URL. Parameters
 * that the page does not know, or no longer knows, are left out.
 */
export const stateOf = (parsers: ViewParsers, query: string) =>
  createLoader(without(parsers))(new URLSearchParams(query)) as Record<string, unknown>;

/** Returns a stored query string as the current version of the page would write it. */
export const currentForm = (parsers: ViewParsers, query: string): string => queryOf(parsers, stateOf(parsers, query));
