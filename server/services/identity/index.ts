import "server-only";

export { endMySession, endOtherSessions, listSessions } from "./account-sessions";
export { changePassword, setPassword } from "./change-password";
export { createUser } from "./create-user";
export { findUserByEmail } from "./find-user";
export { getMe } from "./get-me";
export { countForgotten } from "./login-limit";
export { renameMe } from "./rename-me";
export { completeSetupInput } from "./schemas";
export { endSession, readSession, SESSION_SECONDS, type Session, startSession } from "./sessions";
export { completeSetup, createSetupLink, setupNeeded } from "./setup";
export { type SignedIn, signInWithPassword, type Visitor } from "./sign-in";
export { verifyPassword } from "./verify-password";
export { waysIn } from "./ways-in";
