"""The subprocess that runs one attempt of one job."""
