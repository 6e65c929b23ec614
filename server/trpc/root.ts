import { operations } from "@/server/operations";
import { anonymous } from "./anonymous";
import { proceduresOf } from "./procedures";
import { router } from "./trpc";

/** The router for the workbench's pages, by subject, so that a screen can invalidate by subject. */
export const appRouter = router({ ...proceduresOf(operations), ...anonymous });
export type AppRouter = typeof appRouter;
