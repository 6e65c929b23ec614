/** The cookie that remembers which project one looked at last. */
export const LAST_PROJECT = "whetstone-project";
