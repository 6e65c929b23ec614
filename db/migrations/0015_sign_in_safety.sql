CREATE TABLE "sign_in_networks" (
	"user_id" text NOT NULL,
	"network" text NOT NULL,
	"last_used_at" bigint NOT NULL,
	CONSTRAINT "sign_in_networks_user_id_network_pk" PRIMARY KEY("user_id","network")
);
--> statement-breakpoint
ALTER TABLE "password_resets" ADD COLUMN "mailed_only" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "reset_seen_at" bigint;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "password_reset_at" bigint;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "password_reset_by" text;--> statement-breakpoint
ALTER TABLE "sign_in_networks" ADD CONSTRAINT "sign_in_networks_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
-- Sessions by single sign-on last 12 h, those that are open too. How somebody came in is in the log of their account.
UPDATE "sessions" SET "expires_at" = least("expires_at", "created_at" + 43200000)
WHERE "revoked_at" IS NULL AND "id" IN (
  SELECT "target_id" FROM "account_audit_log"
  WHERE "action" = 'account.signIn' AND "target_type" = 'session' AND "after" ->> 'by' <> 'password'
);
