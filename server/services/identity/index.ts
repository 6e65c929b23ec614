import "server-only";

export { endMySession, endOtherSessions, listSessions } from "./account-sessions";
export { changePassword, endSessions, forgetUnprovenPassword, setPassword } from "./change-password";
export { createUser } from "./create-user";
export { noteNetwork } from "./familiar-networks";
export { findUserByEmail } from "./find-user";
export { dismissPasswordReset, getMe } from "./get-me";
export { countForgotten } from "./login-limit";
export { passwordsAreOn, requirePasswords } from "./passwords-on";
export { renameMe } from "./rename-me";
export { completeSetupInput } from "./schemas";
export { endSession, readSession, SESSION_SECONDS, type Session, startSession } from "./sessions";
export { completeSetup, createSetupLink, setupNeeded } from "./setup";
export { isDisabled, noteRefusal, openSession, type SignedIn, signInWithPassword, type Visitor } from "./sign-in";
export { verifyPassword } from "./verify-password";
