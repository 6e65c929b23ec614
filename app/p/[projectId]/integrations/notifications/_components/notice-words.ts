import type { NoticeKind } from "@/server/services/notifications/schemas";

export const NOTICE_WORDS: Record<NoticeKind, string> = {
  new: "New",
  regressed: "Regressed",
  escalating: "Escalating",
};
