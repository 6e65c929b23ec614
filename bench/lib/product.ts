import { newProject } from "../../testbed/data/project";
import { startProduct as start } from "../../testbed/product/product";

/** Starts the product as a person would, with its own data directory, one project and a key. */
export async function startProduct() {
  const product = await start();
  const { projectId, secret, newKey } = await newProject(product.url, product.dataDir);
  return { ...product, projectId, secret, newKey };
}
