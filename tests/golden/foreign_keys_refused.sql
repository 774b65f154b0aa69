-- Foreign keys that cannot be: the reason, and 1750 behind it.
--@ source: reasoned
CREATE TABLE p (id int CONSTRAINT pk_p PRIMARY KEY, v varchar(5))
GO
--@ source: message 1762
CREATE TABLE bad (p int NOT NULL CONSTRAINT fk_bad REFERENCES p ON DELETE SET DEFAULT)
DROP TABLE IF EXISTS bad
GO
--@ source: message 1763
CREATE TABLE tempdb.dbo.crossing (a int REFERENCES master.dbo.p)
GO
--@ source: message 547
CREATE TABLE tempdb.dbo.referred (a int CONSTRAINT pk_referred PRIMARY KEY)
CREATE TABLE tempdb.dbo.refers (a int CONSTRAINT fk_refers REFERENCES tempdb.dbo.referred)
INSERT tempdb.dbo.refers VALUES (1)
DROP TABLE tempdb.dbo.refers, tempdb.dbo.referred
GO
--@ source: message 1776
CREATE TABLE bad (v varchar(5) CONSTRAINT fk_bad REFERENCES p (v))
GO
--@ source: message 1778
CREATE TABLE bad (p bigint CONSTRAINT fk_bad REFERENCES p (id))
GO
--@ source: message 1769
CREATE TABLE bad (p int, CONSTRAINT fk_bad FOREIGN KEY (nowhere) REFERENCES p (id))
GO
--@ source: message 1773
CREATE TABLE nokey (a int)
CREATE TABLE bad (p int CONSTRAINT fk_bad REFERENCES nokey)
GO
--@ source: message 1785
CREATE TABLE selfc (id int PRIMARY KEY, parent int CONSTRAINT fk_selfc REFERENCES selfc ON DELETE CASCADE)
GO
--@ source: message 1785
CREATE TABLE twoways (a int CONSTRAINT fk_w1 REFERENCES p ON DELETE CASCADE, b int CONSTRAINT fk_w2 REFERENCES p ON DELETE CASCADE)
GO
--@ source: reasoned
DROP TABLE IF EXISTS bad, selfc, twoways, nokey, tempdb.dbo.crossing
DROP TABLE p
GO
