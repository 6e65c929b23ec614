/**
 * Version of the interpretation of stored spans. Raise it when a change to the readers or the assembler yields different
 * messages, calls, usage, traits or identities for spans that are already stored: workers then reread conversations of earlier versions
 * in the background.
 */
export const READER_VERSION = 9;
