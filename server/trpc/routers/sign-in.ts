import { signInMethods } from "@/server/services/single-sign-on";
import { procedure, router } from "../trpc";

/** Before anybody has signed in. */
export const signInRouter = router({
  ways: procedure.query(() => signInMethods()),
});
