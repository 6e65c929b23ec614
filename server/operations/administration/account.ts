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
import { page } from "../row";

export const ACCOUNT = {
  account: {
    me: page(getMe),
    rename: page(renameMe),
    changePassword: page(changePassword),
    dismissPasswordReset: page(dismissPasswordReset),
    sessions: page(listSessions),
    endSession: page(endMySession),
    endOtherSessions: page(endOtherSessions),
    activity: page(listMyActivity),
  },
};
