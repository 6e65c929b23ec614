ALTER TABLE "training_removals" DROP CONSTRAINT "training_removals_project";
