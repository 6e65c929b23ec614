ALTER TABLE "conversations" ADD COLUMN "sent_labels" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "conversations" ADD COLUMN "own_labels" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
UPDATE "conversations" SET sent_labels = labels WHERE labels <> '{}';
