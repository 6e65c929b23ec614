/**
 * Version of what is read from stored spans. Raise it when a change of the readers or the assembler gives other messages, calls,
 * usage or identities for spans that are already stored: workers then read conversations of earlier versions again in the background.
 */
export const READER_VERSION = 1;
