import type { Command } from "commander";
import type { Db } from "@/db/client";
import { recordAudit } from "@/server/platform/audit";
import type { Ctx, ProjectId } from "@/server/platform/context";
import { notFound } from "@/server/platform/errors";
import { deleteProject, runDeletion } from "@/server/services/deletion";
import { findFirstOwner, findUserByEmail } from "@/server/services/identity";
import { findSample, loadedSampleNote, loadSample, loadSampleFor, runSampleLoad } from "@/server/services/sample";
import { withDatabase } from "../database";
import { printResult } from "../output";

/** How long one turn of the work takes. */
const TURN_MS = 5_000;
const JOB = "demo";

type Options = { owner?: string };

export function addDemo(program: Command) {
  const group = program
    .command("demo")
    .description("the sample project: a shop's support agent, not counted in any totals");
  const whose = ["--owner <address>", "the sample's owner; default: the installation's first owner"] as const;
  group
    .command("load")
    .description("load the sample project and wait until it is complete; no effect if it is already loaded")
    .option(...whose)
    .action(async ({ owner }: Options, command: Command) => {
      const project = await withDatabase((db) => load(db, owner));
      printResult(command, { project }, [`${project.name} is loaded (${project.id}).`]);
    });
  group
    .command("remove")
    .description("delete the sample project with everything in it")
    .option(...whose)
    .action(async ({ owner }: Options, command: Command) => {
      const name = await withDatabase((db) => remove(db, owner));
      printResult(command, { ok: true }, [`${name} is removed.`]);
    });
}

async function load(db: Db, owner: string | undefined) {
  const person = await personOf(db, owner);
  const { project } = await db.transaction(async (tx) => {
    const loaded = await loadSampleFor(tx, person.id);
    const actor = { kind: "operator" as const, id: null };
    await recordAudit(tx, { ...loadedSampleNote(loaded), action: loadSample.spec.name, actor });
    return loaded;
  });
  const ctx: Ctx = { db, projectId: project.id as ProjectId, actor: { kind: "job", name: JOB } };
  while (!(await runSampleLoad(ctx, { forMs: TURN_MS })).done);
  return { ...project, sample: (await findSample(db, person.id))?.sample ?? null };
}

async function remove(db: Db, owner: string | undefined): Promise<string> {
  const person = await personOf(db, owner);
  const sample = await findSample(db, person.id);
  if (!sample) throw notFound("The sample project");
  const ctx: Ctx = { db, projectId: sample.id as ProjectId, actor: { kind: "operator" } };
  const { deletion } = await deleteProject(ctx, { name: sample.name });
  while (!(await runDeletion(db, deletion.id, { forMs: TURN_MS, jobName: JOB })).done);
  return sample.name;
}

async function personOf(db: Db, address: string | undefined) {
  const person = await (address === undefined ? findFirstOwner(db) : findUserByEmail(db, address));
  if (!person)
    throw notFound(address === undefined ? "An owner of the installation" : `A person with the address ${address}`);
  return person;
}
