/** The inputs of the account's lists, shared by the server's first render and the browser. */
export const SESSIONS_INPUT = { limit: 100 };
export const ACTIVITY_INPUT = { limit: 25 };
