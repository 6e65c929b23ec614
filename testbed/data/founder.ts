import { setupLinkOf, startedHere } from "../product/product";
import { type Credentials, enter, workbench } from "./workbench";

/** The first person of an installation, who owns it and lets the tests' people in. */
export const FOUNDER = { email: "founder@example.test", password: "the founder's long password" };

type Founder = { workbench: Awaited<ReturnType<typeof enter>>; lobbyId: string };

/** By URL. One per worker process: signing in costs a tenth of a second. */
const founders = new Map<string, Promise<Founder>>();

/** Returns the founder of the installation at `url`, signed in, and a project to invite people to. */
export function founderOf(url: string, dataDir: string): Promise<Founder> {
  const known = founders.get(url) ?? found(url, dataDir);
  founders.set(url, known);
  return known;
}

async function found(url: string, dataDir: string): Promise<Founder> {
  const credentials: Credentials = { url, ...FOUNDER };
  const product = startedHere(dataDir);
  if (product && (await workbench(url).setup.status.query()).needed) {
    const token = new URL(await setupLinkOf(product)).hash.slice("#token=".length);
    await workbench(url).setup.complete.mutate({ ...FOUNDER, token });
  }
  const signedIn = await enter(credentials);
  const { project } = await signedIn.projects.create.mutate({ name: "Lobby" });
  return { workbench: signedIn, lobbyId: project.id };
}
