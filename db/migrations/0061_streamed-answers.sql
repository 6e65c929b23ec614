CREATE TABLE "trainer_command_parts" (
	"command_id" text NOT NULL,
	"seq" integer NOT NULL,
	"text" text NOT NULL,
	CONSTRAINT "trainer_command_parts_command_id_seq_pk" PRIMARY KEY("command_id","seq")
);
--> statement-breakpoint
ALTER TABLE "trainer_command_parts" ADD CONSTRAINT "trainer_command_parts_command_id_trainer_commands_id_fk" FOREIGN KEY ("command_id") REFERENCES "public"."trainer_commands"("id") ON DELETE cascade ON UPDATE no action;