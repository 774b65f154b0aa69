CREATE TABLE Kept (id int NOT NULL PRIMARY KEY, done int NOT NULL, filler char(200) NOT NULL) ENGINE = InnoDB CHARSET = latin1;
CREATE TABLE Added (id int NOT NULL PRIMARY KEY, done int NOT NULL, filler char(200) NOT NULL) ENGINE = InnoDB CHARSET = latin1;
INSERT INTO Kept SELECT seq - 1, 0, 'a row of many' FROM seq_1_to_$(rows);
