CREATE TABLE "dataset_import_sources" (
	"project_id" text NOT NULL,
	"import_id" text NOT NULL,
	"conversation_id" text NOT NULL,
	"user_id" text,
	CONSTRAINT "dataset_import_sources_project_id_import_id_conversation_id_pk" PRIMARY KEY("project_id","import_id","conversation_id")
);
--> statement-breakpoint
CREATE TABLE "deleted_examples" (
	"project_id" text NOT NULL,
	"example_id" text NOT NULL,
	CONSTRAINT "deleted_examples_project_id_example_id_pk" PRIMARY KEY("project_id","example_id")
);
--> statement-breakpoint
ALTER TABLE "dataset_imports" ADD COLUMN "file_erased_at" bigint;--> statement-breakpoint
ALTER TABLE "dataset_import_sources" ADD CONSTRAINT "dataset_import_sources_import" FOREIGN KEY ("project_id","import_id") REFERENCES "public"."dataset_imports"("project_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deleted_examples" ADD CONSTRAINT "deleted_examples_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "dataset_import_sources_of_conversation" ON "dataset_import_sources" USING btree ("project_id","conversation_id");--> statement-breakpoint
CREATE INDEX "dataset_import_sources_of_user" ON "dataset_import_sources" USING btree ("project_id","user_id") WHERE user_id is not null;