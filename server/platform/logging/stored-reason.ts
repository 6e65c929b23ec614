import { hideCredentials } from "./log";

/** Drizzle appends the values to the message of a failed query. */
const VALUES_OF_A_QUERY = /\nparams:[\s\S]*$/;

/** Returns an error's message without the values of a failed query, which quote people's data, and without credentials. */
export const withoutValues = (message: string) => hideCredentials(message.replace(VALUES_OF_A_QUERY, ""));

/** Returns the reason of a failure as it is stored with what failed: without values and credentials, at most `most` characters. */
export const storedReason = (message: string, most = 500) =>
  withoutValues(message).replaceAll("\0", "").slice(0, most).toWellFormed();
