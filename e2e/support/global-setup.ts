import { FOUNDER } from "../../testbed/data/founder";
import { cli } from "../../testbed/data/project";
import { workbench } from "../../testbed/data/workbench";

/** Creates the founder of the installation that tests share, once for all workers and for later runs on its data. */
export default async function createFounder() {
  const { E2E_PORT, E2E_DATA_DIR = "" } = process.env;
  const { needed } = await workbench(`http://127.0.0.1:${E2E_PORT}`).setup.status.query();
  const { email, password } = FOUNDER;
  if (needed) cli(E2E_DATA_DIR, "user", "create", "--email", email, "--password", password);
}
