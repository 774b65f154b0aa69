-- Columns of a foreign key have one collation: 1757. Other types: 1778.
--@ source: message 1757
CREATE TABLE p (k varchar(10) COLLATE Latin1_General_BIN2 NOT NULL PRIMARY KEY)
CREATE TABLE c (k varchar(10) CONSTRAINT fk REFERENCES p (k))
GO
--@ source: message 1778
CREATE TABLE d (k int CONSTRAINT fk REFERENCES p (k))
GO
--@ source: reasoned
CREATE TABLE c (k varchar(10) COLLATE Latin1_General_BIN2 CONSTRAINT fk REFERENCES p (k))
GO
--@ source: reasoned
DROP TABLE c, p
GO
