PRAGMA synchronous = FULL;
BEGIN;
$(work);
$(end);
