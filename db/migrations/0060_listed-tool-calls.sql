ALTER TABLE "tool_calls" ADD COLUMN "request_number" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "tool_calls" DROP CONSTRAINT "tool_calls_project_id_trace_id_span_id_pk";--> statement-breakpoint
ALTER TABLE "tool_calls" ADD CONSTRAINT "tool_calls_project_id_trace_id_span_id_request_number_pk" PRIMARY KEY("project_id","trace_id","span_id","request_number");