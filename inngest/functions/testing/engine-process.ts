import { db } from "@/db/pool";
import { inngest } from "@/inngest/client";
import { startEngine } from "@/server/engine/engine";
import { functions } from "..";

/** For tests: runs every background function in a process of its own until it is killed. */
await startEngine({ db: db(), client: inngest, functions, pollMs: 20, leaseMs: 400 });
process.send?.("ready");
