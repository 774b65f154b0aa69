CREATE TABLE source (id int NOT NULL PRIMARY KEY, text varchar(4000) NOT NULL) ENGINE = InnoDB CHARSET = latin1;
CREATE TABLE fill (id int NOT NULL, text varchar(4000) NOT NULL) ENGINE = InnoDB CHARSET = latin1;
CREATE TABLE beside (id int NOT NULL PRIMARY KEY, n int NOT NULL) ENGINE = InnoDB;
INSERT INTO beside VALUES (1, 0);
INSERT INTO source SELECT seq, RPAD(REPEAT('A row. ', 560), 4000, ' ') FROM seq_1_to_1000;
