import { beginUpload, getFile, listFiles } from "@/server/services/files";
import { mutation, query } from "../procedures";
import { router } from "../trpc";

export const filesRouter = router({ list: query(listFiles), get: query(getFile), beginUpload: mutation(beginUpload) });
