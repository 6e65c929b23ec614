import { loadSample } from "@/server/services/sample";
import { accountMutation } from "../procedures";
import { router } from "../trpc";

export const sampleRouter = router({ load: accountMutation(loadSample) });
