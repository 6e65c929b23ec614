import postgres from "postgres";
import { db } from "@/db/pool";
import { env } from "@/env";
import { startEngine } from "../engine";
import { crashClient, crashFunctions } from "./crash-engine";

/** Runs the engine until it is killed. */
const sql = postgres(env().DATABASE_URL);
await startEngine({ db: db(), client: crashClient, functions: crashFunctions(sql), pollMs: 20, leaseMs: 400 });
process.send?.("ready");
