import { listMyActivity } from "@/server/services/audit";
import {
  changePassword,
  dismissPasswordReset,
  endMySession,
  endOtherSessions,
  getMe,
  listSessions,
  renameMe,
} from "@/server/services/identity";
import { accountMutation, accountQuery } from "../procedures";
import { router } from "../trpc";

export const accountRouter = router({
  me: accountQuery(getMe),
  rename: accountMutation(renameMe),
  changePassword: accountMutation(changePassword),
  dismissPasswordReset: accountMutation(dismissPasswordReset),
  sessions: accountQuery(listSessions),
  endSession: accountMutation(endMySession),
  endOtherSessions: accountMutation(endOtherSessions),
  activity: accountQuery(listMyActivity),
});
