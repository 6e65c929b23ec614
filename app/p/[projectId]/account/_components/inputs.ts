/** What the account's lists ask for, by the server's first paint and by the browser alike. */
export const SESSIONS_INPUT = { limit: 100 };
export const ACTIVITY_INPUT = { limit: 25 };
