-- Answers in one language are one cause, whatever the user's language is: a background function places those without keys.
UPDATE "finding_causes" SET "keys" = NULL WHERE "signal" = 'language_mismatch';
