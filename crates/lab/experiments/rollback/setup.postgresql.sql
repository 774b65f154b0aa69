CREATE TABLE Kept (id int NOT NULL PRIMARY KEY, done int NOT NULL, filler char(200) NOT NULL);
CREATE TABLE Added (id int NOT NULL PRIMARY KEY, done int NOT NULL, filler char(200) NOT NULL);
INSERT INTO Kept SELECT i, 0, 'a row of many' FROM generate_series(0, $(rows) - 1) AS i;
CHECKPOINT;
