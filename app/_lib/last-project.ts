/** The cookie with the project that was viewed last. */
export const LAST_PROJECT = "whetstone-project";
