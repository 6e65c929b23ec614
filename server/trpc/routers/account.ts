import { getMe } from "@/server/services/identity";
import { accountQuery } from "../procedures";
import { router } from "../trpc";

export const accountRouter = router({ me: accountQuery(getMe) });
