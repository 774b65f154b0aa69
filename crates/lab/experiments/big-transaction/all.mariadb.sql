DELIMITER //
BEGIN NOT ATOMIC
    DECLARE first int DEFAULT 0;
    WHILE first < $(rows) DO
        UPDATE big SET done = done + 1, filler = REPEAT(CHAR(65 + id % 26), 200) WHERE id >= first AND id < first + $(piece);
        SET first = first + $(piece);
    END WHILE;
END //
DELIMITER ;
