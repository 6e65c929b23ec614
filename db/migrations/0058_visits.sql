ALTER TABLE "memberships" ADD COLUMN "visited_at" bigint;--> statement-breakpoint
ALTER TABLE "memberships" ADD COLUMN "visited_before_at" bigint;