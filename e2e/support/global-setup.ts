import { FOUNDER } from "./founder";
import { cli } from "./project";

/** Creates the founder of the installation that tests share, once for all workers. */
export default function createFounder() {
  const { email, password } = FOUNDER;
  cli(process.env.E2E_DATA_DIR ?? "", "user", "create", "--email", email, "--password", password);
}
