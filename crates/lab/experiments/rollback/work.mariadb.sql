BEGIN;
$(work);
$(end);
