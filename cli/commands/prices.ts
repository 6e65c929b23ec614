import { readFileSync } from "node:fs";
import type { Command } from "commander";
import {
  applyPriceCatalogue,
  type CatalogueDifference,
  listPriceCatalogues,
  loadPriceCatalogue,
} from "@/server/services/pricing";
import { withDatabase } from "../database";
import { printResult, UsageError } from "../output";

export function addPrices(program: Command) {
  const prices = program.command("prices").description("the default model prices of this installation");
  prices
    .command("list")
    .description("the loaded catalogues, and which one is in effect")
    .action(async (_given: object, command: Command) => {
      const catalogues = await withDatabase(listPriceCatalogues);
      printResult(
        command,
        { catalogues },
        catalogues.map(
          ({ date, shipped, inForce }) =>
            `${date}  ${shipped ? "shipped with the release" : "loaded"}${inForce ? ", in effect" : ""}`,
        ),
      );
    });
  prices
    .command("load <file>")
    .description("load a file written by `npm run prices:update -- --to FILE`, for review before it is applied")
    .action(async (file: string, _given: object, command: Command) => {
      const content = readCatalogue(file);
      const difference = await withDatabase((db) => loadPriceCatalogue(db, content));
      printResult(command, { difference }, [
        `${summaryOf(difference)} Not in effect yet: \`prices apply ${difference.date}\`.`,
      ]);
    });
  prices
    .command("apply <date>")
    .description("apply a loaded catalogue from the next call on; stored costs do not change")
    .action(async (date: string, _given: object, command: Command) => {
      const difference = await withDatabase((db) => applyPriceCatalogue(db, date));
      printResult(command, { difference }, [
        `${summaryOf(difference)} In effect from the next call on; stored costs do not change.`,
      ]);
    });
}

const summaryOf = ({ date, against, added, changed, removed }: CatalogueDifference) =>
  `Prices of ${date} compared with ${against}: ${added} new, ${changed} changed, ${removed} removed.`;

function readCatalogue(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw new UsageError(`${file} cannot be read as JSON: ${error instanceof Error ? error.message : error}`);
  }
}
