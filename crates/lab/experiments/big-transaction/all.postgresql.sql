DO $$
DECLARE
    first int := 0;
BEGIN
    WHILE first < $(rows) LOOP
        UPDATE big SET done = done + 1, filler = repeat(chr(65 + id % 26), 200) WHERE id >= first AND id < first + $(piece);
        first := first + $(piece);
        COMMIT;
        $(between_peer)
    END LOOP;
END $$;
