import "server-only";

export { endMySession, endOtherSessions, listSessions } from "./account-sessions";
export { changePassword, discardUnverifiedPassword, endSessions } from "./change-password";
export { createUser } from "./create-user";
export { recordSignInNetwork } from "./familiar-networks";
export { findFirstOwner, findUserByEmail } from "./find-user";
export { dismissPasswordReset, getMe } from "./get-me";
export { countShareOpening } from "./login-limit";
export { hashOfToken, linkTo, newToken } from "./one-time-link";
export { createPasswordReset } from "./password-resets/create-password-reset";
export { forgotPassword, mailForgottenReset } from "./password-resets/forgot-password";
export { operatorPasswordReset } from "./password-resets/operator-password-reset";
export { findPasswordReset, resetPassword } from "./password-resets/reset-password";
export { passwordsEnabled, requirePasswords } from "./passwords-enabled";
export { personLabel, personOf } from "./person";
export { renameMe } from "./rename-me";
export { completeSetupInput } from "./schemas";
export { endSession, readSession, SESSION_SECONDS, type Session, startSession } from "./sessions";
export { completeSetup, createSetupLink, setupNeeded } from "./setup";
export {
  isDisabled,
  openSession,
  recordRefusedSignIn,
  type SignedIn,
  signInWithPassword,
  type Visitor,
} from "./sign-in";
export { verifyPassword } from "./verify-password";
