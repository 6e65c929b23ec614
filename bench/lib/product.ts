import { startProduct as start } from "../../e2e/support/product";
import { newProject } from "../../e2e/support/project";

/** The product as a person starts it, on a data directory of its own, with one project and a key. */
export async function startProduct() {
  const product = await start();
  const { projectId, secret } = newProject(product.url, product.dataDir);
  return { ...product, projectId, secret };
}
