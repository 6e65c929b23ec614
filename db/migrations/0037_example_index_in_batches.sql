ALTER INDEX "example_revisions_keys" SET (fastupdate = on, gin_pending_list_limit = 65536);
